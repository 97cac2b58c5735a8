package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Limits for reading.
const (
	listLimit    = 50
	verifyMemory = 200
	gitGrep      = "git grep in the sealed log"
	verifyRatio  = 6
)

// reading measures verify, which reads the whole log, and commands that list something in a long log.
func reading(logged int) scenario {
	name := size(logged) + " events"
	return scenario{
		name: "reading, " + name,
		rows: []row{
			{"verify, " + name, "verify", gitGrep, ratio, verifyRatio},
			{"memory of verify, " + name, "verify", "", memory, verifyMemory},
			{"log, " + name, "log", "", limit, listLimit},
			{"status, " + name, "status", "", limit, listLimit},
			{"graph -n 20, " + name, "graph", "", limit, listLimit},
			{"show HEAD, " + name, "show", "", limit, listLimit},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareReading(logged) },
	}
}

func (b *bench) prepareReading(logged int) (func(int, *recorder) error, error) {
	dir, err := b.history(quickCommits, logged)
	if err != nil {
		return nil, err
	}
	if _, err := b.startAgent(dir); err != nil {
		return nil, err
	}
	if err := b.check(b.trace(dir, "gc")); err != nil {
		return nil, err
	}
	lists := []struct {
		name string
		args []string
	}{
		{"log", []string{"log"}},
		{"status", []string{"status"}},
		{"graph", []string{"graph", "-n", "20"}},
		{"show", []string{"show", "HEAD"}},
	}
	return func(i int, r *recorder) error {
		for _, list := range lists {
			if err := r.run(list.name, b.trace(dir, list.args...)); err != nil {
				return err
			}
		}
		if i == 0 {
			if err := r.peak("verify", b.trace(dir, "verify")); err != nil {
				return err
			}
		}
		return inTurn(i,
			func() error { return r.run(gitGrep, b.git(dir, "grep", "-c", `"id"`, refs.EventsRef)) },
			func() error { return r.run("verify", b.trace(dir, "verify")) },
		)
	}, nil
}

// verifying measures git trace verify for a log that takes long to make.
func verifying(logged int) scenario {
	name := size(logged) + " events"
	return scenario{
		name: "verify, " + name,
		rows: []row{
			{"verify, " + name, "verify", gitGrep, ratio, verifyRatio},
			{"memory of verify, " + name, "verify", "", memory, verifyMemory},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			dir, err := b.history(quickCommits, logged)
			if err == nil {
				err = b.check(b.trace(dir, "gc"))
			}
			if err != nil {
				return nil, err
			}
			return func(i int, r *recorder) error {
				if i == 0 {
					if err := r.peak("verify", b.trace(dir, "verify")); err != nil {
						return err
					}
				}
				return inTurn(i,
					func() error { return r.run(gitGrep, b.git(dir, "grep", "-c", `"id"`, refs.EventsRef)) },
					func() error { return r.run("verify", b.trace(dir, "verify")) },
				)
			}, nil
		},
	}
}

// The first command with a new or much longer log checks the log, and builds its index.
const (
	firstMillion   = 6000 // ms for a million events; proportional for other numbers
	firstMemory    = 200
	firstStart     = 100  // ms that do not depend on the length of the log
	answersMillion = 3000 // ms for unreported commits, with a million events
)

// indexing measures the first reading of a log without an index. A second measurement finds the owners of unreported
// commits, whose answers are stored beside the index.
func indexing(logged int) scenario {
	name := size(logged) + " events"
	const first, search = "first reading", "answers not kept"
	answers := row{"log -n 20, answers not kept, " + name, search, numstat, work, countFew}
	if logged >= 1_000_000 { // reading the log takes most of the time; with a short history, numstat is not comparable
		answers = row{answers.title, search, "", limit, answersMillion}
	}
	return scenario{
		name: "first reading, " + name,
		rows: []row{
			{"log -n 20, first reading, " + name, first, "", limit, firstStart + firstMillion*float64(logged)/1e6},
			{"memory of the first reading, " + name, first, "", memory, firstMemory},
			answers,
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			dir, err := b.history(quickCommits, logged)
			if err != nil {
				return nil, err
			}
			log := func() *exec.Cmd { return b.trace(dir, "log", "-n", "20") }
			without := func(kept []string, run func() error) func() error {
				return func() error {
					for _, name := range kept {
						if err := os.RemoveAll(filepath.Join(dir, ".git", "traces", "cache", name)); err != nil {
							return err
						}
					}
					return run()
				}
			}
			index, answers := []string{"index.db", "digest", "checked"}, []string{"found", "reach"}
			return func(i int, r *recorder) error {
				if i == 0 {
					if err := without(index, func() error { return r.peak(first, log()) })(); err != nil {
						return err
					}
				}
				return errors.Join(without(index, func() error { return r.run(first, log()) })(), inTurn(i,
					without(answers, func() error { return r.run(search, log()) }),
					func() error { return r.run(numstat, b.git(dir, "log", "--numstat")) }))
			}, nil
		},
	}
}

// grownPaths lists the operations whose time must not depend on the length of the log.
var grownPaths = []string{"append", "edit tool", "commit", "blame again"}

// grownTitle names the row that compares an operation for a log of this length with the same operation for the shortest
// log.
func grownTitle(path string, events int) string { return path + ", " + size(events) + " events" }

// growing measures the operations whose time must not depend on the length of the log.
func growing(logs []int) scenario {
	most := logs[len(logs)-1]
	s := scenario{
		name:    "growth, " + size(logs[0]) + " to " + size(most) + " events",
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareGrowth(logs) },
	}
	same := 1.25 // "not at all", with a margin for noise
	if most < 100_000 {
		same = 1.4 // a larger margin: five rounds instead of eleven
	}
	for _, events := range logs[1:] {
		for _, path := range grownPaths {
			s.rows = append(s.rows, row{grownTitle(path, events), grownTitle(path, events), grownTitle(path, logs[0]), ratio,
				same})
		}
	}
	return s
}

func (b *bench) prepareGrowth(logs []int) (func(int, *recorder) error, error) {
	type side struct {
		dir    string
		agent  *agent
		log    *events.Log
		events int
	}
	var sides []*side
	for _, n := range logs {
		dir, err := b.history(quickCommits, n)
		if err != nil {
			return nil, err
		}
		a, err := b.startAgent(dir)
		if err != nil {
			return nil, err
		}
		repo, err := refs.Discover(dir)
		if err != nil {
			return nil, err
		}
		sides = append(sides, &side{dir, a, events.OpenLog(repo), n})
	}
	settle()
	play := func(s *side, i int, r *recorder) error {
		label := func(path string) string { return grownTitle(path, s.events) }
		err := r.time(label("append"), func() error { return appendTool(b.ctx, s.log, i) })
		if err != nil {
			return err
		}
		edit, write, err := s.agent.edit(fileName(i * 7 % historyOf))
		if err != nil {
			return err
		}
		if err := errors.Join(b.check(edit.before), write(), r.run(label("edit tool"), edit.after)); err != nil {
			return err
		}
		if err := r.run(label("commit"), b.git(s.dir, "commit", "-q", "-a", "-m", fmt.Sprint("change ", i))); err != nil {
			return err
		}
		if err := b.check(b.trace(s.dir, "blame", hotFile)); err != nil {
			return err
		}
		return r.run(label("blame again"), b.trace(s.dir, "blame", hotFile))
	}
	return func(i int, r *recorder) error {
		for n := range sides { // each round begins with another side
			if err := play(sides[(i+n)%len(sides)], i, r); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

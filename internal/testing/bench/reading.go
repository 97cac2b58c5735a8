package main

import (
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Bounds of reading.
const (
	listLimit    = 50
	verifyMemory = 300
	gitGrep      = "git grep in the seal"
	verifyRatio  = 6
	quickRatio   = 1
)

// reading is what commands cost that look at the whole log.
func reading(logged int) scenario {
	name := size(logged) + " events"
	return scenario{
		name: "reading, " + name,
		rows: []row{
			{"verify, " + name, "verify", gitGrep, ratio, verifyRatio},
			{"verify --quick, " + name, "quick", gitGrep, ratio, quickRatio},
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
			func() error {
				if err := r.run("quick", b.trace(dir, "verify", "--quick")); err != nil {
					return err
				}
				return r.run("verify", b.trace(dir, "verify"))
			},
		)
	}, nil
}

// verifying is the same for a log that takes long to make.
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

// growing is what the length of the log must not matter to.
func growing(logged int) scenario {
	few, many := size(fewEvents)+" events", size(logged)+" events"
	s := scenario{
		name:    "growth, " + few + " to " + many,
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareGrowth(logged) },
	}
	const same = 1.25 // what noise leaves of "not at all"
	for _, path := range []string{"append", "edit tool", "commit", "blame again"} {
		s.rows = append(s.rows, row{path, path + ", " + many, path + ", " + few, ratio, same})
	}
	return s
}

func (b *bench) prepareGrowth(logged int) (func(int, *recorder) error, error) {
	type side struct {
		dir   string
		agent *agent
		log   *events.Log
		label string
	}
	var sides []*side
	for _, n := range []int{fewEvents, logged} {
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
		sides = append(sides, &side{dir, a, events.OpenLog(repo), size(n) + " events"})
	}
	settle()
	play := func(s *side, i int, r *recorder) error {
		label := func(path string) string { return path + ", " + s.label }
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
		return inTurn(i, func() error { return play(sides[0], i, r) }, func() error { return play(sides[1], i, r) })
	}, nil
}

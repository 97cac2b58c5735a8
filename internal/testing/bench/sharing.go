package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// The shared repository has sharers clones with sharedEach commits each; one clone has sharedMore further commits. The
// gathered repository has more of both. A writer's file keeps its last sharedLines lines.
const (
	sharers      = 20
	sharedEach   = 200
	sharedMore   = 40
	sharedLines  = 200
	gatherers    = 50
	gatheredEach = 2000
)

// Limits for sharing in milliseconds, and for blame compared with a clone that recorded everything itself.
const (
	pushTime    = 1000
	pullTime    = 2000
	sharedBlame = 1.5
	pushGits    = 5 // processes; one searches for the writer's commits, which are one in twenty
	pullGits    = 3
)

// sharing measures a push, a pull, and a blame of the pulled lines.
func sharing() scenario {
	of := fmt.Sprintf("%d writers × %d commits", sharers, sharedEach)
	return scenario{
		name: "sharing, " + of,
		rows: []row{
			{fmt.Sprintf("push of %d new commits", sharedMore), "push", "", limit, pushTime},
			{"git processes that it starts", "push gits", "", count, pushGits},
			{"pull into a fresh clone, " + of, "pull", "", limit, pullTime},
			{"git processes that it starts", "pull gits", "", count, pullGits},
			{"blame there", "blame", "blame by the clone that recorded it all", work, sharedBlame},
			{"first blame there", "first blame", "", limit, pullTime},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			dir, err := b.place("sharing", func(dir string) error { return b.makeShared(dir, sharers, sharedEach) })
			return func(round int, r *recorder) error { return b.share(dir, round, r) }, err
		},
	}
}

// Limits for the first reading of many logs, in milliseconds and megabytes.
const (
	gatherPull   = 10_000
	gatherLog    = 2000
	gatherMemory = 300
)

// gathering measures a fresh clone with the logs of very many writers.
func gathering(writers, each int) scenario {
	of := fmt.Sprintf("%d writers × %s events", writers, size(each))
	return scenario{
		name: "gathering, " + of,
		rows: []row{
			{"pull into a fresh clone, " + of, "pull", "", limit, gatherPull},
			{"log -n 20, first reading there", "first log", "", limit, gatherLog},
			{"log -n 20 again", "log", "", limit, listLimit},
			{"memory of log -n 20, first reading there", "first log", "", memory, gatherMemory},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			dir, err := b.place("gathering", func(dir string) error { return b.makeShared(dir, writers, each) })
			fresh, log := filepath.Join(dir, "fresh"), []string{"log", "-n", "20"}
			return func(round int, r *recorder) error {
				err := errors.Join(os.RemoveAll(fresh),
					b.check(b.git(dir, "clone", "-q", filepath.Join(dir, "remote.git"), fresh)))
				if err != nil {
					return err
				}
				if err := r.run("pull", b.trace(fresh, "pull")); err != nil {
					return err
				}
				if round == 0 {
					return r.peak("first log", b.trace(fresh, log...))
				}
				return errors.Join(r.run("first log", b.trace(fresh, log...)), r.run("log", b.trace(fresh, log...)))
			}, err
		},
	}
}

// sharedFile returns the name of a writer's file.
func sharedFile(writer int) string { return fmt.Sprintf("shared/of%02d.go", writer) }

// makeShared makes a remote on which all writers except the first have published everything. The first writer has
// further commits, which are on the remote, too. One clone has all commits, and has recorded them itself.
func (b *bench) makeShared(dir string, writers, each int) error {
	all, remote := filepath.Join(dir, "all"), filepath.Join(dir, "remote.git")
	total := writers * each
	lines := make([][]string, writers)
	if err := os.MkdirAll(all, 0o777); err != nil {
		return err
	}
	if err := b.fastImport(all, func(w *bufio.Writer) {
		for n := range total + sharedMore {
			writer := n % writers
			if n >= total {
				writer = 0
			}
			lines[writer] = append(lines[writer], fmt.Sprintf("line %d\n", n))
			lines[writer] = lines[writer][max(0, len(lines[writer])-sharedLines):]
			fmt.Fprintf(w, "commit refs/heads/main\ncommitter A U Thor <author@example.com> %d +0000\n", 1_500_000_000+n*60)
			data(w, fmt.Sprintf("change %d\n", n))
			fmt.Fprintf(w, "M 100644 inline %s\n", sharedFile(writer))
			data(w, strings.Join(lines[writer], ""))
		}
	}); err != nil {
		return err
	}
	list, err := b.output(b.git(all, "rev-list", "--reverse", "main"))
	if err != nil {
		return err
	}
	commits := strings.Fields(list)
	if err := b.check(b.git(dir, "clone", "-q", "--bare", all, remote)); err != nil {
		return err
	}
	count := make([]int, writers)
	of := make([][]events.Draft, writers)
	var everything []events.Draft
	for n, text := range commits {
		writer := n % writers
		if n >= total {
			writer = 0
		}
		count[writer]++
		d, err := sharedAnchor(text, writer, min(count[writer], sharedLines))
		if err != nil {
			return err
		}
		everything = append(everything, d)
		of[writer] = append(of[writer], d)
	}
	for writer := range writers {
		clone := filepath.Join(dir, "clone00")
		if writer > 0 { // one clone is everybody else's, one after the other
			clone = filepath.Join(dir, "others")
		}
		told := of[writer][:each]
		err := b.asFresh(remote, clone)
		if err == nil {
			err = b.record(clone, told)
		}
		if err == nil {
			err = b.check(b.trace(clone, "push", "--to", "commits", "origin"))
		}
		if err == nil && writer == 0 {
			err = b.record(clone, of[writer][each:])
		}
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"remote.git", "clone00"} {
		if err := copyTree(filepath.Join(dir, name+".before"), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return b.record(all, everything)
}

// asFresh makes a clone without a log, or takes the log from one that is there.
func (b *bench) asFresh(remote, clone string) error {
	if _, err := os.Stat(clone); err != nil {
		return b.check(b.git(filepath.Dir(clone), "clone", "-q", remote, clone))
	}
	list, err := b.output(b.git(clone, "for-each-ref", "--format=delete %(refname)", "refs/traces"))
	if err != nil {
		return err
	}
	drop := b.git(clone, "update-ref", "--stdin")
	drop.Stdin = strings.NewReader(list)
	return errors.Join(b.check(drop), os.RemoveAll(filepath.Join(clone, ".git", "traces")))
}

// sharedAnchor returns an event: in a commit, an agent wrote the last line of a writer's file.
func sharedAnchor(commit string, writer, line int) (events.Draft, error) {
	id, err := refs.ParseOID(commit)
	if err != nil {
		return events.Draft{}, err
	}
	session := fmt.Sprintf("session-%d", writer)
	content, err := events.Encode(events.CommitData{
		Commit: id, Added: 1, AI: 1,
		Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Trace: events.NewTraceID("claude-code", session),
			Agent: "claude-code", Session: session, Model: benchModel, Prompt: 1 + line/10}},
		Files: []events.AnchorFile{{Path: sharedFile(writer), Runs: []events.AnchorRun{{Start: line, Count: 1,
			Tier: "exact_blob"}}}},
	})
	return events.Draft{Type: events.CommitAnchored, Method: []events.Method{events.PostCommit}, Data: content}, err
}

func (b *bench) record(dir string, drafts []events.Draft) error {
	repo, err := refs.Discover(dir)
	if err == nil {
		err = os.MkdirAll(repo.TracesDir(), 0o777)
	}
	if err == nil {
		_, err = events.OpenLog(repo).Append(b.ctx, drafts)
	}
	return err
}

// `share` plays one round: the first writer pushes from the same state, and a fresh clone pulls and blames.
func (b *bench) share(dir string, round int, r *recorder) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"remote.git", "clone00"} {
		if err := copyTree(at(name), at(name+".before")); err != nil {
			return err
		}
	}
	if err := b.gits(r, "push", b.trace(at("clone00"), "push")); err != nil {
		return err
	}
	if err := os.RemoveAll(at("fresh")); err != nil {
		return err
	}
	if err := b.check(b.git(dir, "clone", "-q", at("remote.git"), at("fresh"))); err != nil {
		return err
	}
	if err := b.gits(r, "pull", b.trace(at("fresh"), "pull")); err != nil {
		return err
	}
	if err := r.run("first blame", b.trace(at("fresh"), "blame", sharedFile(0))); err != nil {
		return err
	}
	return inTurn(round,
		func() error { return r.run("blame", b.trace(at("fresh"), "blame", sharedFile(0))) },
		func() error {
			return r.run("blame by the clone that recorded it all", b.trace(at("all"), "blame", sharedFile(0)))
		},
	)
}

// gits measures a command in the rounds that count. In the other rounds it counts the git processes that the command
// starts.
func (b *bench) gits(r *recorder, name string, cmd *exec.Cmd) error {
	if r.counted {
		return r.run(name, cmd)
	}
	file := filepath.Join(b.root, "trace2.json")
	_ = os.Remove(file) // from an earlier count
	cmd.Env = append(os.Environ(), "GIT_TRACE2_EVENT="+file)
	if err := b.check(cmd); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	n := 0
	for line := range bytes.Lines(text) { // a child of git has a name with its parent before a slash
		_, sid, _ := bytes.Cut(line, []byte(`"sid":"`))
		sid, _, _ = bytes.Cut(sid, []byte(`"`))
		if bytes.Contains(line, []byte(`"event":"start"`)) && !bytes.Contains(sid, []byte("/")) {
			n++
		}
	}
	r.set(name+" gits", float64(n))
	return err
}

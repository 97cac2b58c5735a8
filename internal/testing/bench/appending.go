package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Concurrent writers in the check that no event is lost.
const (
	writers      = 8
	perWriter    = 25
	fourCommands = "four plumbing commands"
)

// appending measures the cost of adding one event to the log.
func appending() scenario {
	return scenario{
		name: "append",
		rows: []row{
			{"append of one event", "ours", fourCommands, ratio, 0.1},
			{fmt.Sprintf("events lost by %d writers of %d each", writers, perWriter), "lost", "", count, 0},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareAppend() },
	}
}

func (b *bench) prepareAppend() (func(int, *recorder) error, error) {
	dir, err := b.place("append", func(dir string) error { return b.makeTree(dir, 100) })
	if err != nil {
		return nil, err
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		return nil, err
	}
	log := events.OpenLog(repo)
	n := 0
	return func(i int, r *recorder) error {
		if i == 0 {
			if err := b.countLost(r, dir); err != nil {
				return err
			}
		}
		return inTurn(i,
			func() error { return r.time(fourCommands, func() error { return b.appendByGit(dir, i) }) },
			func() error {
				n++
				return r.time("ours", func() error { return appendTool(b.ctx, log, n) })
			},
		)
	}, nil
}

// appendByGit stores one event with git's plumbing: a blob in a tree in a commit on a ref.
func (b *bench) appendByGit(dir string, n int) error {
	const ref = "refs/bench/events"
	step := func(input string, args ...string) (string, error) {
		cmd := b.git(dir, args...)
		cmd.Stdin = strings.NewReader(input)
		out, err := b.output(cmd)
		return strings.TrimSpace(out), err
	}
	blob, err := step(fmt.Sprintf(`{"type":"window_opened","n":%d}`, n), "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	tree, err := step("100644 blob "+blob+"\tevents.jsonl\n", "mktree")
	if err != nil {
		return err
	}
	args := []string{"commit-tree", "-m", "traces", tree}
	if parent, err := os.ReadFile(filepath.Join(dir, ".git", filepath.FromSlash(ref))); err == nil {
		args = append(args, "-p", strings.TrimSpace(string(parent)))
	}
	commit, err := step("", args...)
	if err != nil {
		return err
	}
	_, err = step("", "update-ref", ref, commit)
	return err
}

// countLost lets several processes append at once. Then it counts the events that the log lacks.
func (b *bench) countLost(r *recorder, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	before, err := b.countEvents(dir)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	failed := make([]error, writers)
	for i := range writers {
		group.Go(func() { failed[i] = b.check(b.command(dir, self, appenderArg, dir, fmt.Sprint(perWriter))) })
	}
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	after, err := b.countEvents(dir)
	if before == 0 {
		after-- // the event log_started
	}
	r.set("lost", float64(before+writers*perWriter-after))
	return err
}

func (b *bench) countEvents(dir string) (int, error) {
	repo, err := refs.Discover(dir)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, err := range events.OpenLog(repo).Walk(b.ctx, events.Range{}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// countStarts counts the git processes in the output of GIT_TRACE2_EVENT.
func countStarts(file string) (int, error) {
	text, err := os.ReadFile(file)
	return bytes.Count(text, []byte(`"event":"start"`)), err
}

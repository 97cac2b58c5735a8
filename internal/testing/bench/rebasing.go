package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// The rebased commits are an agent's. Each changes every file. The new main branch has changed every file, too, so each
// line has a new place.
const (
	rebaseFiles  = 20
	rebaseLines  = 60
	rebaseMemory = 200
)

// rebasing measures a rebase, compared with one in a repository without git-trace.
func rebasing(commits int) scenario {
	name := fmt.Sprintf("%d commits of %d files", commits, rebaseFiles)
	return scenario{
		name: "rebase, " + name,
		rows: []row{
			{"rebase of " + name, "ours", "git rebase", ratio, 3},
			{"rebase --apply of " + name, "ours, --apply", "git rebase --apply", ratio, 3},
			{"memory of a rebase and its hooks", "memory", "", memory, rebaseMemory},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareRebases(commits) },
	}
}

func (b *bench) prepareRebases(commits int) (func(int, *recorder) error, error) {
	place := func(kind string, traced bool) (string, error) {
		return b.place(fmt.Sprintf("rebase-%s-%d", kind, commits),
			func(dir string) error { return b.makeTopic(dir, commits, traced) })
	}
	plain, err := place("plain", false)
	if err != nil {
		return nil, err
	}
	traced, err := place("traced", true)
	if err != nil {
		return nil, err
	}
	// The rebase for the memory would otherwise count among the timed ones.
	rebase := func(dir string, measure func(*exec.Cmd) error, options ...string) error {
		if err := b.check(b.git(dir, "switch", "-q", "-C", "rebased", "topic")); err != nil {
			return err
		}
		return measure(b.git(dir, append(append([]string{"rebase", "-q"}, options...), "main")...))
	}
	return func(i int, r *recorder) error {
		timed := func(name string) func(*exec.Cmd) error {
			return func(cmd *exec.Cmd) error { return r.run(name, cmd) }
		}
		err := inTurn(i,
			func() error { return rebase(plain, timed("git rebase")) },
			func() error { return rebase(traced, timed("ours")) },
		)
		if err == nil {
			err = inTurn(i,
				func() error { return rebase(plain, timed("git rebase --apply"), "--apply") },
				func() error { return rebase(traced, timed("ours, --apply"), "--apply") },
			)
		}
		if err != nil || i > 0 {
			return err
		}
		return rebase(traced, func(cmd *exec.Cmd) error { return r.peak("memory", cmd) })
	}, nil
}

// makeTopic makes a repository with a branch of a number of commits, and a main branch that has moved on. With traced,
// an agent's shell makes each of these commits.
func (b *bench) makeTopic(dir string, commits int, traced bool) error {
	if err := b.check(b.git(dir, "init", "-q")); err != nil {
		return err
	}
	var names []string
	for n := range rebaseFiles {
		names = append(names, fmt.Sprintf("dir%d/file.txt", n))
		if err := writeFile(dir, names[n], rebaseText(n)); err != nil {
			return err
		}
	}
	commit := func(text string) error {
		if err := b.check(b.git(dir, "add", "-A")); err != nil {
			return err
		}
		return b.check(b.git(dir, "commit", "-q", "-m", text))
	}
	change := func(n int) error {
		for _, name := range names {
			if err := touch(filepath.Join(dir, filepath.FromSlash(name)), n); err != nil {
				return err
			}
		}
		return nil
	}
	if err := commit("base"); err != nil {
		return err
	}
	if err := b.check(b.git(dir, "switch", "-q", "-c", "topic")); err != nil {
		return err
	}
	play := change
	if traced {
		a, err := b.startAgent(dir)
		if err != nil {
			return err
		}
		play = func(n int) error {
			shell := a.shell()
			if err := b.check(shell.before); err != nil {
				return err
			}
			if err := change(n); err != nil {
				return err
			}
			return b.check(shell.after)
		}
	}
	for n := range commits {
		if err := play(n); err != nil {
			return err
		}
		if err := commit(fmt.Sprint("change ", n)); err != nil {
			return err
		}
	}
	if err := b.check(b.git(dir, "switch", "-q", "main")); err != nil {
		return err
	}
	for n, name := range names {
		if err := writeFile(dir, name, fmt.Sprintf("on top of file %d\n", n)+rebaseText(n)); err != nil {
			return err
		}
	}
	return commit("main moves on")
}

// rebaseText returns the first content of a file.
func rebaseText(n int) string {
	text := ""
	for line := range rebaseLines {
		text += fmt.Sprintf("line %d of file %d\n", line, n)
	}
	return text
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// blaming measures blame, which people call most, apart from git's own commands.
func blaming(quick bool) []scenario {
	commits, again, since, first, plain := historyCommits, 0.15, 0.3, 1.1, 1.05
	if quick { // git needs a third of the time there, but our own time is the same: see docs/performance.md
		commits, again, since, first, plain = quickCommits, 0.2, 0.4, 1.2, 1.25
	}
	const reference, changed = "git blame", "git blame, changed file"
	return []scenario{
		{
			name: fmt.Sprintf("blame, %s commits", size(commits)),
			rows: []row{
				{"blame again", "warm", reference, ratio, again},
				{"blame again, --json", "json", reference, ratio, again},
				{"blame again, --line-porcelain", "porcelain", "git blame --line-porcelain", ratio, again},
				{"blame -w again", "warm -w", "git blame -w", ratio, again},
				{"blame -M again", "warm -M", "git blame -M", ratio, again},
				{"blame after 200 commits", "after 200", reference, ratio, since},
				{"blame of a file changed since", "changed", changed, ratio, since},
				{"blame for the first time", "first", reference, ratio, first},
				{"blame --incremental for the first time", "incremental", "git blame --incremental", ratio, first},
			},
			prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareBlame(commits) },
		},
		{
			name:    "blame, nothing recorded",
			rows:    []row{{"blame where nothing is recorded", "plain", reference, work, plain}},
			prepare: func(b *bench) (func(int, *recorder) error, error) { return b.preparePlain(commits) },
		},
		{
			name:    "blame, tiny file",
			rows:    []row{{"blame again, 20 lines in 3 commits", "warm", reference, ratio, 3}},
			prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareTiny() },
		},
		{
			name:    "why",
			rows:    []row{{"why of a line, 60 lines in 10 commits", "why", "blame again", work, 1.5}},
			prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareWhy() },
		},
	}
}

const (
	historyCommits = 4000
	quickCommits   = 1500
	behind         = 200
	fewEvents      = 1000
)

// history makes a repository with this many commits, and a log with this many events, or finds an existing one.
func (b *bench) history(commits, logged int) (string, error) {
	return b.place(fmt.Sprintf("history-%s-log-%s", size(commits), size(logged)), func(dir string) error {
		if err := b.makeHistory(dir, commits); err != nil {
			return err
		}
		if err := b.check(b.git(dir, "gc", "-q")); err != nil {
			return err
		}
		return b.makeLog(dir, logged)
	})
}

func (b *bench) prepareBlame(commits int) (func(int, *recorder) error, error) {
	dir, err := b.history(commits, fewEvents)
	if err != nil {
		return nil, err
	}
	if _, err := b.startAgent(dir); err != nil {
		return nil, err
	}
	ours := func(args ...string) error { return b.check(b.trace(dir, append([]string{"blame"}, args...)...)) }
	c := blameCache{dir: filepath.Join(dir, ".git", "traces", "cache", "blame"),
		aside: filepath.Join(b.root, "blame-cache")}
	// The caches after a blame of an old log, and after a blame of the present one.
	err = errors.Join(
		os.RemoveAll(c.dir),
		b.check(b.git(dir, "checkout", "-q", "-f", fmt.Sprintf("main~%d", behind))), ours(hotFile), c.save("old"),
		b.check(b.git(dir, "checkout", "-q", "-f", "main")), os.RemoveAll(c.dir), ours(hotFile), ours("-w", hotFile),
		ours("-M", hotFile), c.save("new"),
	)
	if err != nil {
		return nil, err
	}
	settle()
	file := filepath.Join(dir, filepath.FromSlash(hotFile))
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return func(i int, r *recorder) error {
		git := func() error {
			if err := r.run("git blame", b.git(dir, "blame", hotFile)); err != nil {
				return err
			}
			for _, how := range []string{"--line-porcelain", "--incremental", "-w", "-M"} {
				if err := r.run("git blame "+how, b.git(dir, "blame", how, hotFile)); err != nil {
					return err
				}
			}
			return nil
		}
		traced := func() error {
			measured := func(state, name string, args ...string) error {
				if err := c.restore(state); err != nil {
					return err
				}
				return r.run(name, b.trace(dir, append([]string{"blame"}, args...)...))
			}
			return errors.Join(
				measured("new", "warm", hotFile),
				measured("new", "json", "--json", hotFile),
				measured("new", "porcelain", "--line-porcelain", hotFile),
				measured("new", "warm -w", "-w", hotFile),
				measured("new", "warm -M", "-M", hotFile),
				measured("old", "after 200", hotFile),
				measured("", "first", hotFile),
				measured("", "incremental", "--incremental", hotFile),
			)
		}
		changed := func() error {
			err := errors.Join(touch(file, i), c.restore("new"))
			if err == nil {
				err = inTurn(i,
					func() error { return r.run("git blame, changed file", b.git(dir, "blame", hotFile)) },
					func() error { return r.run("changed", b.trace(dir, "blame", hotFile)) },
				)
			}
			return errors.Join(err, os.WriteFile(file, text, 0o666))
		}
		if err := inTurn(i, git, traced); err != nil {
			return err
		}
		return changed()
	}, nil
}

// preparePlain makes a repository in which nothing is recorded, and returns the function for a round.
func (b *bench) preparePlain(commits int) (func(int, *recorder) error, error) {
	dir, err := b.place("plain-"+size(commits), func(dir string) error {
		return errors.Join(b.makeHistory(dir, commits), b.check(b.git(dir, "gc", "-q")))
	})
	if err != nil {
		return nil, err
	}
	settle()
	return func(i int, r *recorder) error {
		return inTurn(i,
			func() error { return r.run("git blame", b.git(dir, "blame", hotFile)) },
			func() error { return r.run("plain", b.trace(dir, "blame", hotFile)) },
		)
	}, nil
}

// blameCache restores a former state of blame's cache.
type blameCache struct{ dir, aside string }

func (c blameCache) save(state string) error { return copyTree(filepath.Join(c.aside, state), c.dir) }

// restore restores a state; "" is an empty cache.
func (c blameCache) restore(state string) error {
	if state == "" {
		return os.RemoveAll(c.dir)
	}
	return copyTree(c.dir, filepath.Join(c.aside, state))
}

func (b *bench) prepareTiny() (func(int, *recorder) error, error) {
	const file = "main.go"
	dir, err := b.place("tiny", func(dir string) error {
		if err := b.makeTree(dir, 20); err != nil {
			return err
		}
		text := ""
		for n := range 3 {
			for i := range 7 {
				text += fmt.Sprintf("line %d of change %d\n", i, n)
			}
			err := errors.Join(
				writeFile(dir, file, text), b.check(b.git(dir, "add", "-A")),
				b.check(b.git(dir, "commit", "-q", "-m", fmt.Sprint("change ", n))),
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := b.startAgent(dir); err != nil {
		return nil, err
	}
	settle()
	return func(i int, r *recorder) error {
		return inTurn(i,
			func() error { return r.run("git blame", b.git(dir, "blame", file)) },
			func() error { return r.run("warm", b.trace(dir, "blame", file)) },
		)
	}, nil
}

// prepareWhy lets an agent write a file over several commits.
func (b *bench) prepareWhy() (func(int, *recorder) error, error) {
	const file = "main.go"
	dir, err := b.place("why", func(dir string) error {
		if err := errors.Join(b.makeTree(dir, 20), writeFile(dir, file, strings.Repeat("// begun\n", 50))); err != nil {
			return err
		}
		err := errors.Join(b.check(b.git(dir, "add", "-A")), b.check(b.git(dir, "commit", "-q", "-m", "begun")))
		if err != nil {
			return err
		}
		a, err := b.startAgent(dir)
		for n := 0; err == nil && n < 10; n++ {
			var edit call
			var write func() error
			if edit, write, err = a.edit(file); err == nil {
				err = errors.Join(b.check(edit.before), write(), b.check(edit.after),
					b.check(b.git(dir, "commit", "-q", "-a", "-m", fmt.Sprint("change ", n))))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	before, _, _ := strings.Cut(string(text), " by the agent")
	line := fmt.Sprintf("%s:%d", file, strings.Count(before, "\n")+1)
	settle()
	return func(i int, r *recorder) error {
		return inTurn(i,
			func() error { return r.run("blame again", b.trace(dir, "blame", file)) },
			func() error { return r.run("why", b.trace(dir, "why", line)) },
		)
	}, nil
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The reference is a snapshot made by git alone, with a scratch index that is kept between snapshots.
const (
	addChanged = "git add -A + write-tree"
	largeTree  = 10_000
	hookMemory = 40
)

// toolHooks measures how long an agent waits for hooks at each tool call.
func toolHooks(files int) scenario {
	name := size(files) + " files"
	s := scenario{name: "tool hooks, " + name, prepare: func(b *bench) (func(int, *recorder) error,
		error) {
		return b.prepareHooks(files)
	}}
	shell := 1.0
	if files >= largeTree {
		shell = 0.45
		if files == largeTree {
			shell = 0.6 // the start of the process, which counts less in a larger tree
		}
		s.rows = append(s.rows,
			row{"edit tool, before, " + name, "edit before", addChanged, ratio, 0.15},
			row{"edit tool, after, " + name, "edit after", addChanged, ratio, 0.15},
		)
	}
	s.rows = append(s.rows,
		row{"shell tool, before, 1 change, " + name, "shell before", addChanged, ratio, shell},
		row{"shell tool, after, 1 change, " + name, "shell after", addChanged, ratio, shell},
		row{"memory of a hook, " + name, "memory", "", memory, hookMemory},
	)
	return s
}

func (b *bench) prepareHooks(files int) (func(int, *recorder) error, error) {
	dir, err := b.place("tree-"+size(files), func(dir string) error { return b.makeTree(dir, files) })
	if err != nil {
		return nil, err
	}
	settle()
	a, err := b.startAgent(dir)
	if err != nil {
		return nil, err
	}
	scratch := scratchIndex(dir)
	if err := b.check(scratch(b.git(dir, "add", "-A"))); err != nil {
		return nil, err
	}
	next := 0
	change := func() error { // a new file each time, as when a person edits
		next++
		return touch(filepath.Join(dir, filepath.FromSlash(fileName(next*37%files))), next)
	}
	git := func(r *recorder) error {
		if err := change(); err != nil {
			return err
		}
		return r.run(addChanged, scratch(b.git(dir, "add", "-A")), scratch(b.git(dir, "write-tree")))
	}
	ours := func(r *recorder) error {
		if err := change(); err != nil {
			return err
		}
		shell := a.shell()
		if err := r.run("shell before", shell.before); err != nil {
			return err
		}
		if err := change(); err != nil {
			return err
		}
		if err := r.run("shell after", shell.after); err != nil {
			return err
		}
		next++
		edit, write, err := a.edit(fileName(next * 41 % files))
		if err != nil {
			return err
		}
		if err := r.run("edit before", edit.before); err != nil {
			return err
		}
		if err := write(); err != nil {
			return err
		}
		if err := r.run("edit after", edit.after); err != nil {
			return err
		}
		last := a.shell()
		if err := r.peak("memory", last.before); err != nil {
			return err
		}
		return r.peak("memory", last.after)
	}
	return func(i int, r *recorder) error {
		return inTurn(i, func() error { return git(r) }, func() error { return ours(r) })
	}, nil
}

// growthByFiles compares the hook of the shell tool in repositories of different sizes. Ten times the files may take
// ten times as long, with a margin for noise.
func growthByFiles(results []result) []result {
	const prefix, noise = "shell tool, after, 1 change, ", 1.25
	var rows []result
	var last result
	files := map[string]int{}
	for _, n := range []int{1000, largeTree, 100_000} {
		files[prefix+size(n)+" files"] = n
	}
	for _, r := range results {
		n, ok := files[r.Path]
		if !ok {
			continue
		}
		if last.OursMS > 0 {
			times := float64(n) / float64(files[last.Path])
			rows = append(rows, result{
				Scenario: "growth with the number of files", Path: r.Path, Reference: last.Path,
				OursMS: r.OursMS, ReferenceMS: last.OursMS, Value: r.OursMS / last.OursMS, Unit: "×", Bound: times * noise,
				Kept: r.OursMS/last.OursMS <= times*noise, Rounds: r.Rounds, OursCPU: r.OursCPU, ReferenceCPU: last.OursCPU,
			})
		}
		last = r
	}
	return rows
}

// scratchIndex lets git use a separate index.
func scratchIndex(dir string) func(*exec.Cmd) *exec.Cmd {
	index := "GIT_INDEX_FILE=" + filepath.Join(dir, ".git", "scratch-index")
	return func(cmd *exec.Cmd) *exec.Cmd {
		cmd.Env = append(os.Environ(), index)
		return cmd
	}
}

// committing measures a commit, compared with a commit whose hook does nothing.
func committing(files int) scenario {
	name := size(files) + " files"
	return scenario{
		name: "post-commit, " + name,
		rows: []row{
			{"commit of 1 file more than with a no-op hook", "ours", "no-op hook", extra, 14},
			{"git processes started by the hook", "processes", "", count, 1},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareCommits(files) },
	}
}

func (b *bench) prepareCommits(files int) (func(int, *recorder) error, error) {
	plain, err := b.place("commit-plain-"+size(files), func(dir string) error {
		if err := b.makeTree(dir, files); err != nil {
			return err
		}
		hook := filepath.Join(dir, ".git", "hooks", "post-commit")
		return os.WriteFile(hook, []byte("#!/bin/sh\nexit 0\n"), 0o777)
	})
	if err != nil {
		return nil, err
	}
	traced, err := b.place("commit-traced-"+size(files), func(dir string) error { return b.makeTree(dir, files) })
	if err != nil {
		return nil, err
	}
	a, err := b.startAgent(traced)
	if err != nil {
		return nil, err
	}
	settle() // the configuration, too, is read again until its time stamp is old enough
	commit := func(dir string, i int) *exec.Cmd {
		return b.git(dir, "commit", "-q", "-a", "-m", fmt.Sprint("change ", i))
	}
	return func(i int, r *recorder) error {
		name := fileName(i * 43 % files)
		if err := a.playEdit(name); err != nil {
			return err
		}
		if err := touch(filepath.Join(plain, filepath.FromSlash(name)), i); err != nil {
			return err
		}
		err := inTurn(i,
			func() error { return r.run("no-op hook", commit(plain, i)) },
			func() error { return r.run("ours", commit(traced, i)) },
		)
		if err != nil || i > 0 {
			return err
		}
		return b.countProcesses(r, a, plain, commit)
	}, nil
}

// playEdit plays a whole call of the edit tool.
func (a *agent) playEdit(name string) error {
	edit, write, err := a.edit(name)
	if err != nil {
		return err
	}
	if err := a.bench.check(edit.before); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	return a.bench.check(edit.after)
}

// countProcesses counts the git processes of a commit, with our hook and without (GIT_TRACE2_EVENT in git(1)).
func (b *bench) countProcesses(r *recorder, a *agent, plain string, commit func(string, int) *exec.Cmd) error {
	counted := func(dir string) (int, error) {
		file := filepath.Join(b.root, "trace2.json")
		_ = os.Remove(file)
		cmd := commit(dir, 0)
		cmd.Env = append(os.Environ(), "GIT_TRACE2_EVENT="+file)
		if err := b.check(cmd); err != nil {
			return 0, err
		}
		return countStarts(file)
	}
	const name = "pkg00/part00/unit0/file0.go"
	if err := a.playEdit(name); err != nil {
		return err
	}
	if err := touch(filepath.Join(plain, filepath.FromSlash(name)), -1); err != nil {
		return err
	}
	with, err := counted(a.dir)
	if err != nil {
		return err
	}
	without, err := counted(plain)
	r.set("processes", float64(with-without))
	return err
}

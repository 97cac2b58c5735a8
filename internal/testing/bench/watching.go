package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// watched is the bound of a hook beside git trace watch, in milliseconds.
const watched = 40

// watching measures the hooks of a shell call while git trace watch runs, which names the changed files.
func watching(files int) scenario {
	name := "shell tool beside git trace watch, 1 change, " + size(files) + " files"
	return scenario{
		name: "hooks beside git trace watch",
		rows: []row{{name, "shell", "", limit, watched}},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			dir, err := b.place("watched-"+size(files), func(dir string) error { return b.makeTree(dir, files) })
			if err != nil {
				return nil, err
			}
			settle()
			a, err := b.startAgent(dir)
			if err != nil {
				return nil, err
			}
			return func(i int, r *recorder) error { return a.beside(i, files, r) }, nil
		},
	}
}

// beside runs git trace watch, and hooks beside it. The first looks make the watcher know the directories.
func (a *agent) beside(round, files int, r *recorder) error {
	watch := a.bench.trace(a.dir, "watch", "--interval", "10m")
	if err := watch.Start(); err != nil {
		return fmt.Errorf("start git trace watch: %w", err)
	}
	defer func() {
		_ = watch.Process.Signal(os.Interrupt)
		_ = watch.Wait() // the signal ends it
	}()
	time.Sleep(3 * time.Second)
	for i := range 8 {
		name := fileName((round*8 + i) * 37 % files)
		if err := touch(filepath.Join(a.dir, filepath.FromSlash(name)), round*8+i); err != nil {
			return err
		}
		shell := a.shell()
		for _, hook := range []*exec.Cmd{shell.before, shell.after} {
			run := a.bench.check
			if i >= 4 {
				run = func(cmd *exec.Cmd) error { return r.run("shell", cmd) }
			}
			if err := run(hook); err != nil {
				return err
			}
		}
	}
	return nil
}

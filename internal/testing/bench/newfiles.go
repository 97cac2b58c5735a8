package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// `made` is the directory for the files that a call makes.
const made = "made"

// newFiles measures a shell call that makes many files, as a generator or a package manager does.
func newFiles(files int) scenario {
	name := fmt.Sprintf("%d new files", files)
	return scenario{
		name: "a call that makes files, " + name,
		rows: []row{
			{"shell tool, after, " + name, "ours", addChanged, ratio, 2},
			{"memory of that hook", "ours", "", memory, hookMemory},
			{"lines of them that are not the agent's", "lost", "", count, 0},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareNewFiles(files) },
	}
}

func (b *bench) prepareNewFiles(files int) (func(int, *recorder) error, error) {
	dir, err := b.place("tree-1k-and-new", func(dir string) error { return b.makeTree(dir, 1000) })
	if err != nil {
		return nil, err
	}
	a, err := b.startAgent(dir)
	if err != nil {
		return nil, err
	}
	scratch := scratchIndex(dir)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(files)))
	create := func() error { // with contents that no earlier run in this directory has written
		if err := os.MkdirAll(filepath.Join(dir, made), 0o777); err != nil {
			return err
		}
		for n := range files {
			name := filepath.Join(dir, made, fmt.Sprintf("file%d.go", n))
			if err := os.WriteFile(name, []byte(source(rng, n, 20+rng.IntN(40))), 0o666); err != nil {
				return err
			}
		}
		return nil
	}
	remove := func() error { return os.RemoveAll(filepath.Join(dir, made)) }
	git := func(r *recorder) error {
		if err := b.check(scratch(b.git(dir, "add", "-A"))); err != nil {
			return err
		}
		if err := create(); err != nil {
			return err
		}
		settle()
		if err := r.run(addChanged, scratch(b.git(dir, "add", "-A")), scratch(b.git(dir, "write-tree"))); err != nil {
			return err
		}
		return remove()
	}
	ours := func(run func(string, *exec.Cmd) error, r *recorder) error {
		call := a.shell()
		if err := b.check(call.before); err != nil {
			return err
		}
		if err := create(); err != nil {
			return err
		}
		settle()
		if err := run("ours", call.after); err != nil {
			return err
		}
		lost := 0
		for _, n := range []int{0, files / 2, files - 1} {
			out, err := b.output(b.trace(dir, "blame", "--line-porcelain", "--", fmt.Sprintf("%s/file%d.go", made, n)))
			if err != nil {
				return err
			}
			lost += strings.Count(out, "\n\t") - strings.Count(out, "\ntrace-contributor ai\n")
		}
		r.set("lost", float64(lost))
		last := a.shell()
		if err := b.check(last.before); err != nil {
			return err
		}
		if err := remove(); err != nil {
			return err
		}
		return b.check(last.after)
	}
	return func(i int, r *recorder) error {
		run := r.peak
		if i > 0 {
			run = func(name string, cmd *exec.Cmd) error { return r.run(name, cmd) }
		}
		return inTurn(i, func() error { return git(r) }, func() error { return ours(run, r) })
	}, nil
}

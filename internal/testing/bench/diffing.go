package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The compared branch. Each commit changes some files, and a few of them again.
const (
	branchFiles   = 300
	branchCommits = 40
	branchLines   = 200
	workFiles     = 10_000
	workChanged   = 10
	diffBound     = 1.5
	smallBound    = 2.5 // mostly the start of git-trace and git
	diffByGit     = "git diff, and git blame of files changed twice"
	workByGit     = "git diff, git diff-index --cached, git ls-files --others"
	reportByGit   = "git log --numstat, git diff, git blame of files changed twice"
	branchNumstat = "git log --numstat"
	reportBound   = 1.5
	groupBound    = 1.5
)

// diffing measures finding the owners of a diff, and a report and statistics of a branch. The reference of a diff is
// git's part of the work: the diff, and a blame within the range for each file that several commits changed.
func diffing() scenario {
	return scenario{
		name: fmt.Sprintf("diff, %d files in %d commits", branchFiles, branchCommits),
		rows: []row{
			{"diff of a branch", "diff", diffByGit, work, diffBound},
			{fmt.Sprintf("diff of 1 of %d files", branchFiles), "worktree", "the same of these", work, smallBound},
			{fmt.Sprintf("diff of %d of %s files", workChanged, size(workFiles)), "large", workByGit, work, diffBound},
			{"report of a branch", "report", reportByGit, work, reportBound},
			{"stats of a branch by agent", "by agent", branchNumstat, work, groupBound},
			{"stats of a branch by week", "by week", branchNumstat, work, groupBound},
			{"stats of a branch by directory", "by directory", branchNumstat, work, groupBound},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareDiff() },
	}
}

func (b *bench) prepareDiff() (func(int, *recorder) error, error) {
	dir, err := b.place("branch", b.makeBranch)
	if err != nil {
		return nil, err
	}
	if _, err := b.startAgent(dir); err != nil {
		return nil, err
	}
	between := fmt.Sprintf("main~%d..main", branchCommits)
	out, err := b.output(b.git(dir, "log", "--format=", "--name-only", between))
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for name := range strings.FieldsSeq(out) {
		times[name]++
	}
	name := filepath.Join(dir, branchFile(0))
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.WriteFile(name, append(text, "one line more\n"...), 0o644),
		b.check(b.trace(dir, "diff", between))) // builds the index of the log, which is not to be measured
	if err != nil {
		return nil, err
	}
	large, err := b.prepareWork()
	if err != nil {
		return nil, err
	}
	return func(i int, r *recorder) error {
		counted := b.git(dir, "log", "--numstat", between)
		return errors.Join(
			inTurn(i,
				func() error { return r.run("report", b.trace(dir, "report", between)) },
				func() error { return r.run(reportByGit, append(b.byGit(dir, between, times), counted)...) }),
			inTurn(i,
				func() error {
					var all error
					for _, by := range []string{"agent", "week", "directory"} {
						all = errors.Join(all, r.run("by "+by, b.trace(dir, "stats", "--by", by, between)))
					}
					return all
				},
				func() error { return r.run(branchNumstat, b.git(dir, "log", "--numstat", between)) }),
			inTurn(i,
				func() error { return r.run("diff", b.trace(dir, "diff", between)) },
				func() error { return r.run(diffByGit, b.byGit(dir, between, times)...) }),
			inTurn(i,
				func() error { return r.run("worktree", b.trace(dir, "diff")) },
				func() error { return r.run("the same of these", b.workByGit(dir)...) }),
			inTurn(i,
				func() error { return r.run("large", b.trace(large, "diff")) },
				func() error { return r.run(workByGit, b.workByGit(large)...) }),
		)
	}, nil
}

// prepareWork makes a work tree in which some files differ.
func (b *bench) prepareWork() (string, error) {
	dir, err := b.place("worktree-"+size(workFiles), func(dir string) error { return b.makeTree(dir, workFiles) })
	if err != nil {
		return "", err
	}
	if _, err := b.startAgent(dir); err != nil {
		return "", err
	}
	for n := range workChanged {
		name := fileName(n * workFiles / workChanged)
		if err := writeFile(dir, name, fmt.Sprintf("package unit%d\n\nvar changed = true\n", n)); err != nil {
			return "", err
		}
	}
	return dir, b.check(b.trace(dir, "diff"))
}

// workByGit lists git's commands for the changes of a work tree, including staged changes and new files.
func (b *bench) workByGit(dir string) []*exec.Cmd {
	return []*exec.Cmd{b.git(dir, "diff"), b.git(dir, "diff-index", "--cached", "HEAD"),
		b.git(dir, "ls-files", "--others", "--exclude-standard")}
}

// byGit lists git's commands for the owners of a diff: the diff, and a blame of each file that several commits
// changed.
func (b *bench) byGit(dir, between string, times map[string]int) []*exec.Cmd {
	list := []*exec.Cmd{b.git(dir, "diff", between)}
	for name, n := range times {
		if n > 1 {
			list = append(list, b.git(dir, "blame", "--porcelain", between, "--", name))
		}
	}
	return list
}

func branchFile(n int) string { return fmt.Sprintf("unit%d.go", n) }

// makeBranch makes commits, with git's hooks running.
func (b *bench) makeBranch(dir string) error {
	rng := rand.New(rand.NewPCG(3, branchFiles))
	write := func(n int, more string) error {
		name := filepath.Join(dir, branchFile(n))
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			text, err = []byte(source(rng, n, branchLines)), nil
		}
		return errors.Join(err, os.WriteFile(name, append(text, more...), 0o644))
	}
	commit := func(message string) error {
		return errors.Join(b.check(b.git(dir, "add", "-A")), b.check(b.git(dir, "commit", "-q", "-m", message)))
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), b.check(b.git(dir, "init", "-q", "-b", "main"))); err != nil {
		return err
	}
	for n := range branchFiles {
		if err := write(n, ""); err != nil {
			return err
		}
	}
	if err := errors.Join(b.check(b.trace(dir, "init", "--agent", "claude-code")), commit("base")); err != nil {
		return err
	}
	const each, again = 8, 4
	for c := range branchCommits {
		for k := range each {
			if n := c*each + k; n < branchFiles {
				if err := write(n, sourceLine(rng, c)+fmt.Sprintf("// commit %d\n", c)); err != nil {
					return err
				}
			}
		}
		if c%again == 0 || c*each >= branchFiles {
			if err := write((c*each+branchFiles/2)%branchFiles, fmt.Sprintf("// again in commit %d\n", c)); err != nil {
				return err
			}
		}
		if err := commit(fmt.Sprint("change ", c)); err != nil {
			return err
		}
	}
	return b.check(b.git(dir, "gc", "-q"))
}

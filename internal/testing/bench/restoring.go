package main

import (
	"errors"
	"fmt"
	"path/filepath"
)

// restoreBound is the limit relative to git's own checkout of the same files. A restore takes a snapshot before and
// after.
const (
	restoreBound = 12
	checkout     = "git checkout"
)

// restoring measures restoring files to their state at a call.
func restoring() scenario {
	return scenario{
		name:    fmt.Sprintf("restore, %d files", branchFiles),
		rows:    []row{{"restore of all files", "restore", checkout, work, restoreBound}},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareRestore() },
	}
}

func (b *bench) prepareRestore() (func(int, *recorder) error, error) {
	dir, err := b.place("restore", b.makeBranch)
	if err != nil {
		return nil, err
	}
	a, err := b.startAgent(dir)
	if err != nil {
		return nil, err
	}
	change := func(n int) error {
		var all error
		for i := range branchFiles {
			all = errors.Join(all, touch(filepath.Join(dir, branchFile(i)), n))
		}
		return all
	}
	call := a.shell()
	err = errors.Join(b.check(b.git(dir, "checkout", "-q", "-f", "main")), b.check(call.before), change(-1),
		b.check(call.after))
	if err != nil {
		return nil, err
	}
	settle()
	restored := func(i int, r *recorder) error {
		return errors.Join(change(i), r.run("restore", b.trace(dir, "restore", "--force", "toolu_1", ".")))
	}
	return func(i int, r *recorder) error {
		return errors.Join(
			inTurn(i,
				func() error { return restored(i, r) },
				func() error {
					return errors.Join(change(i), r.run(checkout, b.git(dir, "checkout", "-q", "-f", "--", ".")))
				}),
			b.checkRestored(dir))
	}, nil
}

// checkRestored checks that the last restore brought the files back.
func (b *bench) checkRestored(dir string) error {
	out, err := b.output(b.git(dir, "diff", "--stat"))
	if err == nil && out != "" {
		err = fmt.Errorf("not restored: %s", out)
	}
	return err
}

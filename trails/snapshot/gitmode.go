package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// gitState is the state of the git method, in addition to its scratch index.
type gitState struct {
	Reason   reason
	Index    indexStamp // the user's index at the last snapshot
	Excluded []exclusion

	Marked     indexStamp // the user's index from which PassedOver was read
	PassedOver []string   // entries marked skip-worktree or assume-unchanged
}

func (e *Engine) scratchPath() string {
	return filepath.Join(filepath.Dir(e.path), "scratch-index")
}

// addition is a running snapshot by the git method.
type addition struct {
	e           *Engine
	avoid       []string // paths at which git fails
	unreachable bool     // git may not reach some of them
}

// runGit takes a snapshot of everything with `git add -A` and `git write-tree`, on a copy of the user's index. It makes
// a new copy each time: an older one would keep a path that was ignored later, lack an ignored path that the user
// added, and decide about line endings and repositories in the work tree by what it holds.
func (e *Engine) runGit(ctx context.Context) (Snapshot, error) {
	e.scratch, e.changed = nil, true
	snap, g := Snapshot{Method: MethodGit}, e.meta.Git
	stamp, err := stampIndex(e.userIndex(), e.repo.Format)
	if err != nil {
		return snap, fmt.Errorf("read index: %w", err)
	}
	if e.meta.Reseed {
		g.Excluded = nil
	}
	a := &addition{e: e}
	a.reconsider()
	got := added{again: true}
	for try := 0; got.again; try++ {
		if err := e.copyIndex(); err != nil {
			return snap, err
		}
		if got, err = a.addOnce(ctx, try); err != nil {
			return snap, err
		}
	}
	if snap.Tree, err = e.writeTree(ctx); err != nil {
		return snap, err
	}
	got.partly = got.partly || a.unreachable
	g.Index, e.meta.Tree, e.meta.Reseed, e.meta.Rejudge = stamp, snap.Tree, false, false
	snap.Skipped, err = e.skippedByGit(ctx, got)
	return snap, err
}

// copyIndex copies the user's index, with its time stamp, to the scratch index: git finds racily clean entries by the
// time stamp. It removes a lock that a killed git left, because nobody else uses the scratch index.
func (e *Engine) copyIndex() error {
	_ = os.Remove(e.scratchPath() + ".lock")
	err := copyFile(e.userIndex(), e.scratchPath())
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(e.scratchPath())
		if errors.Is(err, fs.ErrNotExist) {
			err = refs.MakeDirs(filepath.Dir(e.scratchPath()), 0o777)
		}
	}
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return nil
}

func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := refs.WriteFileAtomic(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// lookupScratch implements Lookup for the git method.
func (e *Engine) lookupScratch(path string) (Entry, bool) {
	if e.scratch == nil {
		idx, err := readIndex(e.scratchPath(), e.repo.Format)
		if err != nil {
			return Entry{}, false
		}
		e.scratch = idx
	}
	found := e.scratch.find(path)
	if found == nil || found.stage != 0 || found.flags&intentToAdd != 0 {
		return Entry{}, false
	}
	return Entry{found.mode, found.oid}, true
}

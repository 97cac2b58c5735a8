package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// gitState is the state of the git method, in addition to its scratch index.
type gitState struct {
	Reason   reason
	Index    indexStamp // the user's index from which the scratch index was copied
	Scratch  indexStamp // the scratch index from which the last tree was written
	Rules    string     // digest of the ignore and attribute files in the work tree
	Fresh    bool       // some paths could not be added: their entries must not be used again
	Excluded []exclusion

	Marked     indexStamp // the user's index from which PassedOver was read
	PassedOver []string   // entries marked skip-worktree or assume-unchanged
}

func (e *Engine) scratchPath() string {
	return filepath.Join(filepath.Dir(e.path), "scratch-index")
}

// runGit takes a snapshot with `git add -A` and `git write-tree` on the scratch index.
func (e *Engine) runGit(ctx context.Context, paths []string) (Snapshot, error) {
	e.scratch, e.changed = nil, true
	snap := Snapshot{Method: MethodGit}
	old, err := readIndex(e.scratchPath(), e.repo.Format)
	if err != nil || len(old.entries) == 0 {
		old, paths = &gitIndex{}, nil
	}
	if paths != nil {
		e.meta.Git.Scratch = indexStamp{}
		snap.Skipped, err = e.addPaths(ctx, old, paths)
		if err == nil {
			snap.Tree, err = e.writeTree(ctx)
		}
		var failed *refs.GitError
		if errors.Is(err, errWholeTree) || errors.As(err, &failed) {
			paths = nil
		} else if err != nil {
			return snap, err
		}
	}
	if paths == nil {
		if err := e.addEverything(ctx, old, &snap); err != nil {
			return snap, err
		}
	}
	e.meta.Tree = snap.Tree
	return snap, nil
}

// addition is a running snapshot of everything by the git method.
type addition struct {
	e           *Engine
	old         *gitIndex  // the scratch index before the snapshot
	stamp       indexStamp // the user's index
	start       int64
	rules       string   // see Engine.rulesSum
	fresh       bool     // the scratch index is a new copy of the user's index
	avoid       []string // paths at which git fails
	unreachable bool     // git may not reach some of them
}

// addEverything updates the scratch index and writes its tree. The scratch index starts as a copy of the user's index.
// It is copied again when git would now decide differently about a path than when the path was added: the old scratch
// index would keep a path that was ignored later, and lack an ignored path that the user added. This check runs while
// git is running, because usually nothing has changed the decision.
func (e *Engine) addEverything(ctx context.Context, old *gitIndex, snap *Snapshot) error {
	g := e.meta.Git
	stamp, err := stampIndex(e.userIndex(), e.repo.Format)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if e.meta.Reseed {
		g.Excluded = nil
	}
	excluded := len(g.Excluded)
	a := &addition{e: e, old: old, stamp: stamp, start: e.now().UnixNano(), rules: g.Rules}
	a.reconsider()
	a.fresh = len(g.Excluded) != excluded || len(old.entries) == 0 || g.Fresh || stamp != g.Index || e.meta.Reseed ||
		e.meta.Rejudge
	for try := 0; ; try++ {
		drift := a.lookForDrift(ctx)
		if a.fresh {
			if err := e.copyIndex(); err != nil {
				return err
			}
		}
		got, err := a.addOnce(ctx, try)
		drifted := <-drift
		if err == nil && !drifted && !got.again && (!got.partly || a.fresh) {
			if err = a.finish(ctx, got, snap); err == nil {
				return nil
			}
		}
		var failed *refs.GitError
		if err != nil && (a.fresh || !errors.As(err, &failed)) {
			return err
		}
		a.fresh = true // cause: changed rules, a pruned object, a damaged scratch index, or a path that could not be added
	}
}

// lookForDrift checks, while git runs, whether the scratch index still fits the work tree and the user's index.
func (a *addition) lookForDrift(ctx context.Context) <-chan bool {
	result := make(chan bool, 1)
	if a.fresh {
		result <- false
		return result
	}
	fault.Go(func() {
		result <- a.e.rulesSum(a.old, a.start) != a.rules || a.e.drifted(ctx, a.old)
	})
	return result
}

// finish writes the tree and stores the state that it was made from.
func (a *addition) finish(ctx context.Context, got added, snap *Snapshot) error {
	e, g := a.e, a.e.meta.Git
	scratch, err := stampIndex(e.scratchPath(), e.repo.Format)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if snap.Tree = e.meta.Tree; a.fresh || scratch != g.Scratch || scratch == (indexStamp{}) {
		if snap.Tree, err = e.writeTree(ctx); err != nil {
			return err
		}
		now, err := readIndex(e.scratchPath(), e.repo.Format)
		if err != nil {
			return err
		}
		a.rules = e.rulesSum(now, a.start) // the rules may be in other directories now
		if scratch, err = stampIndex(e.scratchPath(), e.repo.Format); err != nil {
			return fmt.Errorf("read index: %w", err)
		}
	}
	got.partly = got.partly || a.unreachable
	g.Index, g.Scratch, g.Rules, g.Fresh = a.stamp, scratch, a.rules, got.partly || len(g.Excluded) > 0
	e.meta.Reseed, e.meta.Rejudge = false, false
	snap.Skipped, err = e.skippedByGit(ctx, got)
	return err
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

package snapshot

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// behindLimit limits the number of trees that are written in the background, because they take memory until then.
const behindLimit = 64

// `behind` holds the state of the background work that writes trees while the caller of a snapshot continues. Creating
// a file waits for the file system, and nobody reads a new tree at once.
type behind struct {
	group sync.WaitGroup
	mu    sync.Mutex
	err   error
}

func (b *behind) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = errors.Join(b.err, err)
}

// wait returns when all trees are written.
func (b *behind) wait() error {
	b.group.Wait()
	err := b.err
	b.err = nil
	return err
}

// writeTrees stores trees, given by their contents. It writes a few trees in the background, in the given order. It
// writes many trees in parallel, and waits for the end.
func (e *Engine) writeTrees(trees [][]byte) error {
	if len(trees) == 0 {
		return nil
	}
	var next atomic.Int64
	run := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(trees) {
				return
			}
			if _, err := e.repo.WriteLoose(e.repo.SideObjects(), refs.TreeObject, trees[i]); err != nil {
				e.behind.fail(fmt.Errorf("write tree: %w", err))
				return
			}
		}
	}
	if len(trees) <= behindLimit {
		e.behind.group.Go(fault.In(run))
		return nil
	}
	for range runtime.GOMAXPROCS(0) {
		e.behind.group.Go(fault.In(run))
	}
	return e.behind.wait()
}

// Flush waits until all objects of the last snapshot are stored. Full, Scoped and Save call it, Full and Scoped only if
// WriteBehind is not set.
func (e *Engine) Flush() error {
	if err := e.behind.wait(); err != nil {
		e.broken = true
		return fmt.Errorf("store snapshot: %w", err)
	}
	return nil
}

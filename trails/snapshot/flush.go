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

// behindLimit is the number of trees that wait to be written; more would take too much memory.
const behindLimit = 64

// behind writes trees while the caller of a snapshot continues. A new file costs a wait for the file system, and nobody
// reads a new tree at once.
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

// wait ends when everything is written.
func (b *behind) wait() error {
	b.group.Wait()
	err := b.err
	b.err = nil
	return err
}

// writeTrees stores the contents of trees: at once, or in the background in the given order if they are few.
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

// Flush waits until all of the last snapshot is stored. Full, Scoped and Save do it by themselves, the first two unless
// WriteBehind is set.
func (e *Engine) Flush() error {
	if err := e.behind.wait(); err != nil {
		e.broken = true
		return fmt.Errorf("store snapshot: %w", err)
	}
	return nil
}

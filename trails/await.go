package trails

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Most programs empty a file before they rewrite it. Where an agent makes several calls at a time, one of them may be
// doing so while the boundary of another one looks: all lines would seem deleted, and then written by whoever fills the
// file. So a file that has just become empty, is read again after some moments, if a call that does not end here is
// running.

// firstPause and lastPause bound how long a look waits for contents: twice as long each time, 62 ms in all.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 32 * time.Millisecond
)

// awaitContents takes the snapshot again as long as some files are newly empty: a program may be about to write them.
func (s *step) awaitContents(o *observation, paths []string) error {
	if o.Seeded || len(s.unfinished()) == 0 {
		return nil
	}
	empty := s.repo.Format.Hash(refs.BlobObject, nil)
	pause := s.engine.pause
	if pause == nil {
		pause = time.Sleep
	}
	for wait := firstPause; wait <= lastPause && s.ctx.Err() == nil &&
		slices.ContainsFunc(o.Changes, func(c snapshot.Change) bool {
			return c.New == empty && c.Old != empty && !c.Old.IsZero()
		}); wait *= 2 {
		pause(wait)
		if err := s.lookOnce(o, paths); err != nil {
			return err
		}
	}
	return nil
}

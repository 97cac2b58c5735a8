package trails

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A hook without time to take its boundary has time for a glance: it lists the paths that differ from the last
// look, without reading them. Whoever takes the boundary later knows that all other paths had not changed by then.
// The time stamps of files show which paths had changed before the glance, and not since. Such a path belongs to
// the windows of that time alone, as if the boundary had been taken at its moment. If a path had changed before and
// changed again, nobody saw the content in between: its owner is in doubt.

// putAside is a boundary as it is put down.
type putAside struct {
	events.Boundary
	Glance *glance `json:"glance,omitempty"`
}

// host returns the agent's process if it is known, else the parent of the hook.
func (b *putAside) host() int {
	if b.Process != 0 {
		return b.Process
	}
	return b.Parent
}

// glance holds the sights of a hook that put its boundary aside.
type glance struct {
	Paths map[string]snapshot.Sight `json:"paths"` // by their names in events
	// Left are the processes that the ending call leaves, and Printed the file that they print to.
	Left    []process.Process `json:"left,omitempty"`
	Printed []process.Output  `json:"printed,omitempty"`
}

func decodeLate(raw []byte) (b putAside, err error) {
	err = json.Unmarshal(raw, &b)
	return b, err
}

// glance looks at the work tree and at the processes that an ending call left running. It is nil if one of them
// cannot be seen.
func (e *Engine) glance(ctx context.Context, b events.Boundary) *glance {
	g := &glance{}
	if endsCommand(b) && b.Moment != 0 {
		w := e.opened(b)
		if w == nil {
			return nil
		}
		q := w.seenBy(true)
		q.Over = !b.Tool.Background
		left, _ := q.Left()
		g.Left, g.Printed, _ = process.Measure(left, e.repo.WorkTree)
	}
	found, err := snapshot.Glance(ctx, e.repo, snapshotState(e.repo))
	if err != nil {
		return nil
	}
	g.Paths = make(map[string]snapshot.Sight, len(found))
	for path, sight := range found {
		g.Paths[events.EncodePath(path)] = sight
	}
	return g
}

// endsCommand reports whether a call ends at a boundary that may have started something.
func endsCommand(b events.Boundary) bool {
	return endsCall(b) && b.Tool != nil && b.Tool.Class != events.ToolEdits
}

// opened returns the window that a boundary ends, as the timeline has it or as its beginning was put aside; nil if
// nothing is known of it.
func (e *Engine) opened(b events.Boundary) *Window {
	trace := events.NewTraceID(b.Agent, b.Session)
	if s, err := loadState(e.repo); err == nil {
		for _, w := range s.openWindows() {
			if w.same(trace, b.Tool.CallID) {
				return w
			}
		}
	}
	entries, _ := os.ReadDir(spoolDir(e.repo)) // what cannot be read is not there
	for _, entry := range slices.Backward(entries) {
		if !strings.HasSuffix(entry.Name(), lateSuffix) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(spoolDir(e.repo), entry.Name()))
		if err != nil {
			continue
		}
		began, err := decodeLate(raw)
		if err == nil && began.Kind == events.ToolBefore && began.Session == b.Session && began.Tool != nil &&
			began.Tool.CallID == b.Tool.CallID {
			return &Window{Host: process.Of(began.host()), Since: began.Moment, Opener: spooledBy(entry.Name()),
				Session: b.Session, Mark: began.Mark}
		}
	}
	return nil
}

// divides reports whether glances can divide the changes that a look found: the look was at everything, and git did
// not write to the work tree since the last one.
func (s *step) divides(o *observation) bool {
	wrote := s.asks.Whole.Restored || s.asks.Whole.Doubtful || s.asks.Whole.Elsewhere
	return o != nil && o.full && !o.Seeded && !wrote && !s.stashedAnew()
}

// settleUntil settles the changes of a look that were made before a moment, with no change after it. The time of a
// new stash is unknown, and its content may be in the work tree too: then all changes wait.
func (s *step) settleUntil(o *observation, moment time.Time) error {
	if o == nil || o.Seeded || o.full && s.stashedAnew() {
		return nil
	}
	if s.queue.sights == nil {
		s.queue.sights, s.mixed = map[string]snapshot.Sight{}, map[string]int64{}
	}
	sure, rest := snapshot.Before(s.repo.WorkTree, o.Changes, moment)
	rest = slices.DeleteFunc(rest, func(c snapshot.Change) bool {
		same := s.seenThen(c.Path)
		if same {
			sure = append(sure, c)
		}
		return same
	})
	s.changedBefore(sure)
	if err := s.settleChanges(o.full, sure); err != nil {
		return err
	}
	for _, c := range sure {
		s.queue.sights[c.Path] = s.snap.Sight(c.Path)
		delete(s.mixed, c.Path)
	}
	o.settled += len(sure)
	o.Changes = rest
	s.glanced(rest)
	return nil
}

// seenThen reports whether the glance of this boundary saw the path as it is now.
func (s *step) seenThen(path string) bool {
	if s.queue.glance == nil {
		return false
	}
	sight, differed := s.queue.glance.Paths[events.EncodePath(path)]
	return differed && sight.Same(s.snap.Sight(path))
}

// glanced looks at the rest: the changes that a later look found and that the boundary's moment did not settle. It
// finds out which of these paths had changed before that moment too.
func (s *step) glanced(rest []snapshot.Change) {
	if s.queue.glance == nil {
		return
	}
	for _, c := range rest {
		sight, differed := s.queue.glance.Paths[events.EncodePath(c.Path)]
		if _, known := s.mixed[c.Path]; differed && !known && !sight.Same(s.lastSight(c.Path)) {
			s.mixed[c.Path] = s.state.seen(c.Path)
		}
	}
}

// lastSight returns the sight of the content with which a path was settled last.
func (s *step) lastSight(path string) snapshot.Sight {
	if sight, found := s.queue.sights[path]; found {
		return sight
	}
	if !s.findLast() {
		return snapshot.Unsure
	}
	return s.last.Sight(path)
}

// countGlance counts the glance of the boundary that was taken as a look at everything.
func (s *step) countGlance() {
	if s.queue.glance == nil {
		return
	}
	s.state.Interval, s.state.LastFull = s.interval, s.interval
	s.interval++
}

// seen returns the interval in which a path was last looked at.
func (s *workTree) seen(path string) int64 {
	if seen, found := s.mixed[path]; found {
		return seen
	}
	return s.state.seen(path)
}

// inDoubt reports whether boundaries were lost between this look at a path and the last one, in the interval seen. A
// path that changed before and after a boundary that was put aside is in doubt, too.
func (s *workTree) inDoubt(path string, seen int64) bool {
	_, found := s.mixed[path]
	return found || s.state.Lost > seen
}

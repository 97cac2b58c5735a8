package trails

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/spool"
)

// queue holds the boundaries that were put aside for a step to take.
type queue struct {
	tree    *workTree
	looks   *looks
	late    []string                  // the files of the boundaries
	checked time.Time                 // the time of the last search for such boundaries
	ahead   *observation              // the findings of a look that belong before this boundary, see lookAhead
	glance  *spool.Glance             // the glance of the boundary that is being taken, if it has one
	sights  map[string]snapshot.Sight // the sights of contents that were settled in this step
	heard   []string                  // notes of git's hooks that still run, see takeWritten
}

// maxLate limits the number of late boundaries that one step takes.
const maxLate = 256

// errTooLate reports that a step took maxLate boundaries and left others, which come before its own boundary.
var errTooLate = fmt.Errorf("too many boundaries were put aside for one step: %w", context.DeadlineExceeded)

// Late puts aside a boundary that could not be taken in time, with a glance at the work tree if ctx leaves time. The
// next boundary takes it first, so no open window is lost.
func (e *Engine) Late(ctx context.Context, b events.Boundary) error {
	aside := spool.Boundary{Boundary: withFewTexts(b), Glance: e.glance(ctx, b)}
	if err := refs.MakeDirs(spool.Dir(e.repo), 0o700); err != nil {
		return fmt.Errorf("put boundary aside: %w", err)
	}
	at := b.Time
	if aside.Glance != nil { // the boundaries of several agents are in the order of their looks
		// the stamp of this file must be later than the stamps of the files that the call wrote
		time.Sleep(time.Until(at.Add(snapshot.Slack * 3 / 2)))
		at = time.Now()
	}
	if err := refs.WriteJSON(spool.Name(e.repo, at, spool.LateSuffix), aside, refs.WriteFileAtomic); err != nil {
		spool.LeaveMissed(e.repo)
		return fmt.Errorf("put boundary aside: %w", err)
	}
	return nil
}

// withFewTexts returns a boundary that is small enough to store: a call's texts can be as large as files.
func withFewTexts(b events.Boundary) events.Boundary {
	if b.Tool != nil && textSize(b.Tool.Edits) > maxDeclared {
		tool := *b.Tool
		tool.Edits = nil
		b.Tool = &tool
	}
	return b
}

// isLate reports whether a boundary was put aside and not yet taken by a step.
func (tree *workTree) isLate(name string, now time.Time) bool {
	return spool.IsLate(name, now) && !slices.Contains(tree.state.Spooled, name)
}

// waiting lists the boundaries that were put aside and the boundaries of killed processes, oldest first. It leaves out
// the boundaries that this step has taken.
func (q *queue) waiting() []string {
	var out []string
	entries, _ := os.ReadDir(spool.Dir(q.tree.repo)) // an unreadable file does not wait
	now := time.Now()
	for _, entry := range entries { // in order of name, and so of time
		name := filepath.Join(spool.Dir(q.tree.repo), entry.Name())
		if q.tree.isLate(entry.Name(), now) && !slices.Contains(q.late, name) {
			out = append(out, name)
		}
	}
	return out
}

// takeLate takes boundaries that were put aside. Their files are removed when the step is saved. A look that came after
// them has changes, which are divided among the boundaries by the evidence; the parameter `o` is nil without a look.
func (s *step) takeLate(h *heard, names []string, o *observation) error {
	now := s.tree.time
	defer func() { s.tree.time, s.queue.glance = now, nil }()
	if !s.engine.Patient && len(s.queue.late)+len(names) > maxLate {
		return errTooLate
	}
	blind := false // processes that a call left may have written at any time since
	for i, name := range names {
		s.queue.late = append(s.queue.late, name)
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		killed := !strings.HasSuffix(name, spool.LateSuffix)
		if spool.SaysGitWrote(name, raw) {
			s.tree.restoredNow()
			continue
		}
		decode := spool.DecodeLate
		if killed {
			decode = spool.DecodeNote
		}
		b, err := decode(raw)
		blind = blind || b.Glance == nil && endsCommand(b.Boundary)
		s.queue.glance = b.Glance
		if blind || !o.divides(s.tree) {
			s.queue.glance = nil
		}
		s.tree.time = now
		settle := func(at *heard) error { return s.settleUntil(at, o, spool.Earliest(names[i:])) }
		if err != nil || b.Session == "" {
			err = settle(h)
			s.tree.lose("")
			s.tree.state.doubtWindows()
		} else {
			s.tree.time = b.Time
			err = s.take(h.within(), b.Boundary, settle)
		}
		if err != nil {
			return err
		}
		s.queue.countGlance()
	}
	return nil
}

// lookAhead takes the boundaries that were put aside, before a hook takes its own. It takes a snapshot, and settles the
// changes from before each of them. The look of the hook's own boundary settles the rest: it may end a call that
// reported its edits.
func (s *step) lookAhead(h *heard) error {
	if !s.engine.Behind() {
		return nil
	}
	s.seen.askProcesses(s.tree.time)
	h.env = events.Draft{Method: []events.Method{events.Manual}}
	news := s.queue.meanwhile()
	o, err := s.looks.observe(h, nil)
	if err == nil {
		err = s.takeMeanwhile(h, &o, news)
	}
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	s.queue.ahead = &o
	return nil
}

// dropLate removes the files of boundaries that are in the saved state, and returns the names of the files that remain.
func (q *queue) dropLate() (left []string) {
	for _, name := range q.tree.state.Spooled {
		if err := os.Remove(filepath.Join(spool.Dir(q.tree.repo), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = append(left, name)
		}
	}
	return left
}

// A hook without time to take its boundary has time for a glance: it lists the paths that differ from the last look,
// without reading them. A later step then knows that no other path had changed by that time. File times show which
// paths changed before the glance, and did not change since. Such a path belongs to the windows of that time alone,
// like after a timely snapshot. If a path had changed before and changed again, nobody saw the content in between: its
// owner is in doubt.

// glance reads the state of the work tree and of the processes that an ending call left running. It is nil if one of
// the two cannot be read.
func (e *Engine) glance(ctx context.Context, b events.Boundary) *spool.Glance {
	g := &spool.Glance{}
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

// endsCommand reports whether a boundary ends a call that may have started processes.
func endsCommand(b events.Boundary) bool {
	return b.EndsCall() && b.Tool != nil && b.Tool.Class != events.ToolEdits
}

// `opened` returns the window that a boundary ends, from the timeline or from a beginning that was put aside; nil if
// there is none.
func (e *Engine) opened(b events.Boundary) *Window {
	trace := events.NewTraceID(b.Agent, b.Session)
	if s, err := loadState(e.repo); err == nil {
		for _, w := range s.openWindows() {
			if w.same(trace, b.Tool.CallID) {
				return w
			}
		}
	}
	entries, _ := os.ReadDir(spool.Dir(e.repo)) // unreadable counts as missing
	for _, entry := range slices.Backward(entries) {
		if !strings.HasSuffix(entry.Name(), spool.LateSuffix) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(spool.Dir(e.repo), entry.Name()))
		if err != nil {
			continue
		}
		began, err := spool.DecodeLate(raw)
		if err == nil && began.Kind == events.ToolBefore && began.Session == b.Session && began.Tool != nil &&
			began.Tool.CallID == b.Tool.CallID {
			return &Window{Run: running{Host: process.Of(began.Host()), Since: began.Moment, Opener: spool.By(entry.Name()),
				Mark: began.Mark}, Call: Call{Session: b.Session}}
		}
	}
	return nil
}

// `divides` reports whether glances can divide the changes of a look: the look was at everything, and git did not write
// to the work tree since the last one.
func (o *observation) divides(tree *workTree) bool {
	wrote := tree.asks.Whole.Restored || tree.asks.Whole.Doubtful || tree.asks.Whole.Elsewhere
	return o != nil && o.full && !o.Seeded && !wrote && !tree.stashedAnew()
}

// settleUntil settles the changes of a look that were made before a moment, with no change after it. The time of a new
// stash is unknown, and the work tree may have its content too: then all changes wait.
func (s *step) settleUntil(h *heard, o *observation, moment time.Time) error {
	if o == nil || o.Seeded || o.full && s.tree.stashedAnew() {
		return nil
	}
	if s.queue.sights == nil {
		s.queue.sights, s.tree.mixed = map[string]snapshot.Sight{}, map[string]int64{}
	}
	sure, rest := snapshot.Before(s.tree.repo.WorkTree, o.Changes, moment)
	rest = slices.DeleteFunc(rest, func(c snapshot.Change) bool {
		same := s.queue.seenThen(c.Path)
		if same {
			sure = append(sure, c)
		}
		return same
	})
	s.seen.changedBefore(sure)
	if err := s.settleChanges(h, o.full, sure); err != nil {
		return err
	}
	for _, c := range sure {
		s.queue.sights[c.Path] = s.looks.snap.Sight(c.Path)
		delete(s.tree.mixed, c.Path)
	}
	o.settled += len(sure)
	o.Changes = rest
	s.queue.glanced(rest)
	return nil
}

// seenThen reports whether the glance of this boundary saw the present form of the path.
func (q *queue) seenThen(path string) bool {
	if q.glance == nil {
		return false
	}
	sight, differed := q.glance.Paths[events.EncodePath(path)]
	return differed && sight.Same(q.looks.snap.Sight(path))
}

// `glanced` handles the rest: the changes of a later look that were not settled at the boundary's moment. It finds out
// which of these paths had changed before that moment too.
func (q *queue) glanced(rest []snapshot.Change) {
	if q.glance == nil {
		return
	}
	for _, c := range rest {
		sight, differed := q.glance.Paths[events.EncodePath(c.Path)]
		if _, known := q.tree.mixed[c.Path]; differed && !known && !sight.Same(q.lastSight(c.Path)) {
			q.tree.mixed[c.Path] = q.tree.state.seen(c.Path)
		}
	}
}

// lastSight returns the sight of a path when it was last settled.
func (q *queue) lastSight(path string) snapshot.Sight {
	if sight, found := q.sights[path]; found {
		return sight
	}
	if !q.tree.store.findLast() {
		return snapshot.Unsure
	}
	return q.tree.store.last.Sight(path)
}

// countGlance makes the glance of the taken boundary count as a full snapshot.
func (q *queue) countGlance() {
	if q.glance == nil {
		return
	}
	q.tree.state.Interval, q.tree.state.LastFull = q.tree.interval, q.tree.interval
	q.tree.interval++
}

// `seen` returns the interval of the last look at a path.
func (tree *workTree) seen(path string) int64 {
	if seen, found := tree.mixed[path]; found {
		return seen
	}
	return tree.state.seen(path)
}

// inDoubt reports whether boundaries were lost between this look at a path and the last one, which was in the interval
// `seen`. A path is also in doubt if it changed both before and after a boundary that was put aside.
func (tree *workTree) inDoubt(path string, seen int64) bool {
	_, found := tree.mixed[path]
	return found || tree.state.Lost.At > seen
}

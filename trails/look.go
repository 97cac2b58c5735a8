package trails

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/spool"
)

// observation holds the findings of a look at the work tree.
type observation struct {
	snapshot.Snapshot
	full    bool
	settled int // changes that were attributed already, see lookAgain
}

// found reports whether it is worth an event.
func (o observation) found() bool { return o.Seeded || o.settled > 0 || len(o.Changes) > 0 }

// look takes a snapshot, of the paths given or, when paths is nil, of the whole work tree, and settles the interval
// that it ends.
//
// After git wrote to the work tree the whole of it is looked at, whatever was asked for: only then is every path
// settled and the mark of git can move on. The commits that git itself makes in a row are looked at alone.
func (s *step) look(paths []string) (observation, error) {
	var o observation
	var err error
	if s.queue.ahead != nil {
		o, s.queue.ahead, paths = *s.queue.ahead, nil, nil
	} else {
		o, err = s.observe(paths)
	}
	if err == nil {
		err = s.lookAgain(&o, paths)
	}
	if err != nil {
		return o, fmt.Errorf("snapshot: %w", err)
	}
	if !o.Seeded {
		s.changedBefore(o.Changes)
		err = s.settleChanges(o.full, o.Changes)
	} else {
		err = s.attributeSeeded()
	}
	if err != nil {
		return o, err
	}
	s.settleLook(o, paths)
	return o, nil
}

// observe takes the snapshot of a look.
func (s *step) observe(paths []string) (observation, error) {
	if s.asks.Whole.Restored && (!s.narrow || s.asks.Whole.MadeByHand(s.now.Head, s.asks.Commit)) {
		paths = nil
	}
	if s.snap == nil {
		eng, err := snapshot.Open(s.ctx, s.repo, snapshotState(s.repo))
		if err != nil {
			return observation{}, fmt.Errorf("open snapshot state: %w", err)
		}
		eng.WriteBehind, eng.Most = true, s.engine.Most
		s.snap = eng
	}
	var o observation
	var err error
	if paths == nil {
		o.full = true
		o.Snapshot, err = s.snap.Full(s.ctx)
	} else {
		o.Snapshot, err = s.snap.Scoped(s.ctx, paths)
	}
	if err == nil && !o.full && s.mayBeRenamed(o.Changes) {
		first := o.Changes
		o.full = true
		o.Snapshot, err = s.snap.Full(s.ctx)
		o.Changes = chain(first, o.Changes)
	}
	if err == nil && s.engine.Most > 0 && len(o.Changes) > s.engine.Most {
		err = snapshot.ErrMany
	}
	if err == nil {
		err = s.awaitContents(&o, paths)
	}
	return o, err
}

// settleChanges attributes the changes that a look found. full: the look was at everything.
func (s *step) settleChanges(full bool, changes []snapshot.Change) error {
	if full {
		if err := s.attributeStashed(changes); err != nil {
			return err
		}
	}
	for _, batch := range batches(changes) {
		if err := s.attribute(batch); err != nil {
			return err
		}
	}
	return nil
}

// settleLook saves in the state how far the work tree was looked at.
func (s *step) settleLook(o observation, paths []string) {
	s.state.Interval = s.interval
	s.state.Tree = o.Tree
	if o.full || o.Seeded {
		s.keepForOthers()
		s.state.LastFull = s.interval
		s.state.Squash = s.now.Squash
		s.state.Git = s.now
		s.asks.Known = s.now.Stashes
		s.keepLeft()
		return
	}
	if s.state.Scoped == nil {
		s.state.Scoped = map[string]int64{}
	}
	for _, p := range paths {
		s.state.Scoped[p] = s.interval
	}
	s.state.Marks = append(s.state.Marks, lookMark{s.interval, s.now})
	s.state.Marks = s.state.Marks[max(0, len(s.state.Marks)-maxMarks):]
}

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

// mayBeRenamed reports whether one of the changed paths came or went without a call that is known to have done it:
// the file may have had, or may have, another name, and only a look at everything finds that one. A file that git
// deletes or brings back needs no such look.
func (s *step) mayBeRenamed(changes []snapshot.Change) bool {
	return slices.ContainsFunc(changes, func(c snapshot.Change) bool {
		if c.Old.IsZero() == c.New.IsZero() {
			return false
		}
		if w := s.gitAt(c.Path); w.Restored {
			_, known := s.known.Get(c.Path, c.New)
			byGit := !w.MadeByHand(s.now.Head, s.asks.Commit)
			if known || c.New.IsZero() && byGit {
				return false
			}
		}
		if want, ok := s.state.Expected[c.Path]; ok && want == c.New {
			return false
		}
		return !slices.ContainsFunc(writers(s.state.Windows, c.Path, s.seen(c.Path)), func(w *Window) bool {
			return w.Class == events.ToolEdits
		})
	})
}

// chain joins the changes of two looks in a row.
func chain(first, second []snapshot.Change) []snapshot.Change {
	out := slices.Clone(first)
	for _, c := range second {
		i := slices.IndexFunc(out, func(d snapshot.Change) bool { return d.Path == c.Path })
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].New, out[i].NewMode = c.New, c.NewMode
		out[i].PassedOver = out[i].PassedOver || c.PassedOver
	}
	out = slices.DeleteFunc(out, func(c snapshot.Change) bool { return c.Old == c.New && c.OldMode == c.NewMode })
	slices.SortFunc(out, func(a, b snapshot.Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// batchSize is the number of changes that are attributed together at least, if there are so many. All of a batch is
// in memory at once, and a block that moved from one file to another is found within it.
const batchSize = 2000

// batches cuts a long list of changes. A file that has another name now stays with the one it had.
func batches(changes []snapshot.Change) [][]snapshot.Change {
	if len(changes) <= batchSize {
		return [][]snapshot.Change{changes}
	}
	created := map[refs.OID][]int{}
	for i, c := range changes {
		if c.Old.IsZero() {
			created[c.New] = append(created[c.New], i)
		}
	}
	out := [][]snapshot.Change{nil}
	taken := make([]bool, len(changes))
	add := func(i int) {
		if !taken[i] {
			taken[i] = true
			last := &out[len(out)-1]
			*last = append(*last, changes[i])
		}
	}
	for i, c := range changes {
		if c.Old.IsZero() {
			continue // its turn comes with the file it was, or after all others
		}
		add(i)
		if c.New.IsZero() {
			for _, other := range created[c.Old] {
				add(other)
			}
		}
		if len(out[len(out)-1]) >= batchSize {
			out = append(out, nil)
		}
	}
	for i := range changes {
		add(i)
		if len(out[len(out)-1]) >= batchSize {
			out = append(out, nil)
		}
	}
	if len(out[len(out)-1]) == 0 {
		out = out[:len(out)-1]
	}
	return out
}

// A snapshot with thousands of changed files takes longer than a hook may. A later process takes it and holds the lock
// for seconds. Meanwhile agents continue: their boundaries do not wait and are put aside. What it sees may then be the
// work of a call that began while it looked. So it looks again, at what has changed since, which takes milliseconds,
// until nothing was put aside and git did nothing meanwhile; only then it says who wrote what it saw. What had changed
// before the first of those boundaries, by the time stamps of the system, is settled without them. A hook's own look
// does the same as far as boundaries go: one put aside while it looked may be the beginning of a call whose work it
// sees.

// maxLooks bounds how often that is done in one step.
const maxLooks = 16

// Behind reports whether boundaries wait that were put aside, or notes of processes that did not take their step.
func (e *Engine) Behind() bool {
	entries, _ := os.ReadDir(spool.Dir(e.repo)) // what cannot be read does not wait
	now := time.Now()
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return spool.IsLate(entry.Name(), now) })
}

// CatchUp takes the boundaries that were put aside and looks at the whole work tree. It does nothing where nothing
// waits.
func (e *Engine) CatchUp(ctx context.Context, at time.Time) error {
	if !e.Behind() {
		return nil
	}
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		return s.lookAtAll("late")
	})
}

// lookAgain takes in the boundaries that were put aside until a snapshot was taken, and what git did meanwhile. It
// joins what has changed since to what the snapshot found.
func (s *step) lookAgain(o *observation, paths []string) error {
	for range maxLooks {
		news := s.meanwhile()
		if !news.any {
			return nil
		}
		if err := s.lookOnce(o, paths); err != nil {
			return err
		}
		if err := s.takeMeanwhile(o, news); err != nil {
			return err
		}
	}
	return s.takeMeanwhile(nil, news{late: s.waiting()})
}

// lookOnce adds to an observation what has changed since.
func (s *step) lookOnce(o *observation, paths []string) error {
	var next snapshot.Snapshot
	var err error
	if o.full {
		next, err = s.snap.Full(s.ctx)
	} else {
		next, err = s.snap.Scoped(s.ctx, paths)
	}
	if err != nil {
		return err
	}
	next.Changes = chain(o.Changes, next.Changes)
	next.Seeded = next.Seeded || o.Seeded
	o.Snapshot = next
	return nil
}

// news holds the events since a step's last snapshot.
type news struct {
	any   bool
	moved bool      // git did
	began time.Time // by the clock that stamps files, where git did: what had changed before is to be settled without it
	late  []string  // boundaries that were put aside
}

// meanwhile checks whether a boundary was put aside, or git has moved or written, since its last call.
func (s *step) meanwhile() (n news) {
	last, now := s.queue.checked, time.Now()
	if s.engine.Patient { // a short look does not wait for git: the next one sees what it did
		if !s.now.Equal(gitfacts.ReadMark(s.repo)) {
			n.moved, n.began = true, last.Add(-snapshot.Slack)
		}
		n.any = s.takeWritten() || n.moved
	}
	n.late = s.waiting()
	n.any = n.any || len(n.late) > 0
	if n.moved && len(n.late) > 0 {
		n.began = spool.Sooner(n.began, spool.Earliest(n.late))
	}
	s.queue.checked = now
	return n
}

// takeWritten takes the word of git's hooks that git wrote to the work tree, and reports whether there was any.
// Nothing tells when git did, but that it was before: so it counts for all that is seen in this step, and at once,
// though the hook may still be trying.
func (s *step) takeWritten() (found bool) {
	entries, _ := os.ReadDir(spool.Dir(s.repo)) // what cannot be read is not there
	for _, entry := range entries {
		name := filepath.Join(spool.Dir(s.repo), entry.Name())
		if strings.HasSuffix(name, spool.LateSuffix) || slices.Contains(s.queue.late, name) ||
			slices.Contains(s.queue.heard, name) || slices.Contains(s.state.Spooled, entry.Name()) {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil || !spool.SaysGitWrote(name, raw) {
			continue
		}
		found = true
		s.restoredNow()
		if spool.Left(entry.Name(), time.Now()) {
			s.queue.late = append(s.queue.late, name)
		} else {
			s.queue.heard = append(s.queue.heard, name)
		}
	}
	return found
}

// takeMeanwhile takes the boundaries that were put aside before a look, and finds out again where git stands.
func (s *step) takeMeanwhile(o *observation, news news) error {
	env := s.env
	if news.moved { // without git's part in what came before
		if err := s.settleUntil(o, news.began); err != nil {
			return err
		}
	}
	s.orientAgain()
	err := s.takeLate(news.late, o)
	s.orientAgain()
	s.env = env
	if err == nil && s.engine.Patient { // the agents of calls that began meanwhile may be gone by now
		s.askProcesses(s.time)
		s.over = append(s.over, s.doubtGone()...)
	}
	return err
}

// orientAgain reads git's present state.
func (s *step) orientAgain() {
	base := s.asks.Base
	s.orient()
	s.since = nil
	if !s.asks.Commit.IsZero() {
		s.asks.Base = base
	}
}

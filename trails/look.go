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

// looks is the phase that takes snapshots of the work tree.
type looks struct {
	engine  *Engine
	tree    *workTree
	snap    *snapshot.Engine // the snapshot engine of this step's looks; nil until there is one
	listens bool             // a full look may rely on a monitor
}

// observation holds the findings of a snapshot.
type observation struct {
	snapshot.Snapshot
	full    bool
	settled int // changes that already have their owners, see lookAgain
}

// `found` reports whether an observation has findings that need an event.
func (o observation) found() bool { return o.Seeded || o.settled > 0 || len(o.Changes) > 0 }

// look takes a snapshot of the given paths, or of the whole work tree if paths is nil, and settles the interval that it
// ends.
//
// After git wrote to the work tree, it always reads the whole work tree: only then is every path settled, and the mark
// of git can advance. For successive commits by git itself, it reads only their paths.
func (s *step) look(h *heard, paths []string) (observation, error) {
	var o observation
	var err error
	if s.queue.ahead != nil {
		o, s.queue.ahead, paths = *s.queue.ahead, nil, nil
	} else {
		o, err = s.looks.observe(h, paths)
	}
	if err == nil {
		err = s.lookAgain(h, &o, paths)
	}
	if err != nil {
		return o, fmt.Errorf("snapshot: %w", err)
	}
	if !o.Seeded {
		s.seen.changedBefore(o.Changes)
		err = s.settleChanges(h, o.full, o.Changes)
	} else {
		err = s.settle(h, (*weigher).attributeSeeded)
	}
	if err != nil {
		return o, err
	}
	s.looks.settled(o, paths)
	if o.full || o.Seeded {
		s.seen.keepLeft()
	}
	return o, nil
}

// observe takes the snapshot of a look.
func (l *looks) observe(h *heard, paths []string) (observation, error) {
	commit, work := l.tree.asks.Commit, l.tree.asks.Whole
	if work.Restored && (commit.IsZero() || work.MadeByHand(l.tree.now.Head, commit)) {
		paths = nil
	}
	if l.snap == nil {
		eng, err := snapshot.Open(l.tree.ctx, l.tree.repo, snapshotState(l.tree.repo))
		if err != nil {
			return observation{}, fmt.Errorf("open snapshot state: %w", err)
		}
		eng.WriteBehind, eng.Most = true, l.engine.Most
		l.snap = eng
	}
	l.snap.Listens = l.listens
	o := observation{full: paths == nil}
	err := l.lookOnce(&o, paths)
	if err == nil && !o.full && l.mayBeRenamed(o.Changes) {
		o.full = true
		err = l.lookOnce(&o, paths)
	}
	if err == nil && l.engine.Most > 0 && len(o.Changes) > l.engine.Most {
		err = snapshot.ErrMany
	}
	if err == nil {
		err = l.awaitContents(h, &o, paths)
	}
	return o, err
}

// settleChanges finds the owners of the changes of a look. The parameter `full` means that the look was at everything.
func (s *step) settleChanges(h *heard, full bool, changes []snapshot.Change) error {
	if full {
		if err := s.settleStashes(h, changes); err != nil {
			return err
		}
	}
	for _, batch := range batches(changes) {
		weigh := func(wg *weigher) ([]finding, error) { return wg.attribute(batch) }
		if err := s.settle(h, weigh); err != nil {
			return err
		}
	}
	return nil
}

// `settled` notes in the state which paths a look has seen.
func (l *looks) settled(o observation, paths []string) {
	tree := l.tree
	tree.state.Interval = tree.interval
	tree.state.Tree = o.Tree
	if o.full || o.Seeded {
		tree.keepForOthers()
		tree.state.LastFull = tree.interval
		tree.state.Squash = tree.now.Squash
		tree.state.Git = tree.now
		tree.asks.Known = tree.now.Stashes
		return
	}
	if tree.state.Scoped == nil {
		tree.state.Scoped = map[string]int64{}
	}
	for _, p := range paths {
		tree.state.Scoped[p] = tree.interval
	}
	tree.state.Marks = append(tree.state.Marks, lookMark{tree.interval, tree.now})
	tree.state.Marks = tree.state.Marks[max(0, len(tree.state.Marks)-maxMarks):]
}

// Most programs empty a file before they rewrite it. If an agent makes several calls at a time, one call may have
// emptied a file when the boundary of another takes its snapshot: all lines would seem deleted, and then written by the
// first call. So a file that has just become empty is read again after a short pause, if a call that does not end here
// is running.

// firstPause and lastPause bound how long a look waits for contents: twice as long each time, 62 ms in all.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 32 * time.Millisecond
)

// awaitContents repeats the snapshot while some files are newly empty: a program may be about to write them.
func (l *looks) awaitContents(h *heard, o *observation, paths []string) error {
	if o.Seeded || len(h.unfinished(l.tree.state)) == 0 {
		return nil
	}
	empty := l.tree.repo.Format.Hash(refs.BlobObject, nil)
	pause := l.engine.pause
	if pause == nil {
		pause = time.Sleep
	}
	for wait := firstPause; wait <= lastPause && l.tree.ctx.Err() == nil &&
		slices.ContainsFunc(o.Changes, func(c snapshot.Change) bool {
			return c.New == empty && c.Old != empty && !c.Old.IsZero()
		}); wait *= 2 {
		pause(wait)
		if err := l.lookOnce(o, paths); err != nil {
			return err
		}
	}
	return nil
}

// mayBeRenamed reports whether one of the changed paths appeared or disappeared without a known call: the file may have
// another name, and only a full snapshot finds it. A file that git deletes or brings back does not need one.
func (l *looks) mayBeRenamed(changes []snapshot.Change) bool {
	return slices.ContainsFunc(changes, func(c snapshot.Change) bool {
		if c.Old.IsZero() == c.New.IsZero() {
			return false
		}
		if w := l.tree.origins.gitAt(c.Path); w.Restored {
			byGit := !w.MadeByHand(l.tree.now.Head, l.tree.asks.Commit)
			if l.tree.names.Known(c.Path, c.New) || c.New.IsZero() && byGit {
				return false
			}
		}
		if want, ok := l.tree.state.Notes.Expected[c.Path]; ok && want == c.New {
			return false
		}
		return !slices.ContainsFunc(writers(l.tree.state.Windows, c.Path, l.tree.seen(c.Path)), func(w *Window) bool {
			return w.Call.Class == events.ToolEdits
		})
	})
}

// chain joins the changes of two looks in a row.
func chain(first, second []snapshot.Change) []snapshot.Change {
	if len(first) == 0 {
		return second
	}
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

// batchSize is the least number of changes that are handled together, if there are so many. A batch is in memory as a
// whole, and blocks that moved between its files are found.
const batchSize = 2000

// batches cuts a long list of changes. A renamed file stays in one batch with its old name.
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
			continue // its turn comes with its old name, or at the end
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

// A snapshot with thousands of changed files takes longer than a hook may take. A separate process takes it later, and
// holds the lock for seconds. Meanwhile agents continue, and their boundaries are put aside. The snapshot may then show
// the work of a call that began during it. So the process reads later changes again, which takes milliseconds, until no
// boundary was put aside and git did nothing meanwhile. Only then does it decide who wrote the changes. Changes from
// before the first of those boundaries, by file times, are settled without these boundaries. A hook's own snapshot also
// takes boundaries that were put aside during it: they may begin a call whose work the snapshot shows.

// maxLooks limits the number of repetitions in one step.
const maxLooks = 16

// `Behind` reports whether boundaries wait that were put aside, or notes of processes that did not finish their step.
func (e *Engine) Behind() bool {
	entries, _ := os.ReadDir(spool.Dir(e.repo)) // an unreadable file does not wait
	now := time.Now()
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return spool.IsLate(entry.Name(), now) })
}

// CatchUp takes the boundaries that were put aside, and a full snapshot. It does nothing if none wait.
func (e *Engine) CatchUp(ctx context.Context, at time.Time) error {
	if !e.Behind() {
		return nil
	}
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.Manual}}
		return s.lookAt(h, nil, "late")
	})
}

// lookAgain takes the boundaries that were put aside before the end of a snapshot, and git's actions meanwhile. It
// joins later changes to the changes that the snapshot found.
func (s *step) lookAgain(h *heard, o *observation, paths []string) error {
	for range maxLooks {
		news := s.queue.meanwhile()
		if !news.any {
			return nil
		}
		if err := s.looks.lookOnce(o, paths); err != nil {
			return err
		}
		if err := s.takeMeanwhile(h, o, news); err != nil {
			return err
		}
	}
	return s.takeMeanwhile(h, nil, news{late: s.queue.waiting()})
}

// lookOnce adds later changes to an observation.
func (l *looks) lookOnce(o *observation, paths []string) error {
	var next snapshot.Snapshot
	var err error
	if o.full {
		next, err = l.snap.Full(l.tree.ctx)
	} else {
		next, err = l.snap.Scoped(l.tree.ctx, paths)
	}
	if err != nil {
		return err
	}
	next.Changes = chain(o.Changes, next.Changes)
	next.Seeded = next.Seeded || o.Seeded
	o.Snapshot, o.full = next, o.full || next.Whole
	return nil
}

// news holds the boundaries and the actions of git since a step's last snapshot.
type news struct {
	any   bool
	moved bool      // git did
	began time.Time // time of git's action, by the clock of file times: earlier changes are settled without it
	late  []string  // boundaries that were put aside
}

// `meanwhile` returns the boundaries that were put aside since its last call, and git's moves and writes since then.
func (q *queue) meanwhile() (n news) {
	last, now := q.checked, time.Now()
	if q.looks.engine.Patient { // a short look does not wait for git: the next look sees git's result
		if !q.tree.now.Equal(gitfacts.ReadMark(q.tree.repo)) {
			n.moved, n.began = true, last.Add(-snapshot.Slack)
		}
		n.any = q.takeWritten() || n.moved
	}
	n.late = q.waiting()
	n.any = n.any || len(n.late) > 0
	if n.moved && len(n.late) > 0 {
		n.began = spool.Sooner(n.began, spool.Earliest(n.late))
	}
	q.checked = now
	return n
}

// takeWritten takes the notes in which git's hooks report writes to the work tree, and reports whether there was one. A
// note does not have the time of git's write; the write came before it. So it counts for all changes of this step at
// once, though the hook may still be running.
func (q *queue) takeWritten() (found bool) {
	entries, _ := os.ReadDir(spool.Dir(q.tree.repo)) // unreadable counts as missing
	for _, entry := range entries {
		name := filepath.Join(spool.Dir(q.tree.repo), entry.Name())
		if strings.HasSuffix(name, spool.LateSuffix) || slices.Contains(q.late, name) ||
			slices.Contains(q.heard, name) || slices.Contains(q.tree.state.Spooled, entry.Name()) {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil || !spool.SaysGitWrote(name, raw) {
			continue
		}
		found = true
		q.tree.restoredNow()
		if spool.Left(entry.Name(), time.Now()) {
			q.late = append(q.late, name)
		} else {
			q.heard = append(q.heard, name)
		}
	}
	return found
}

// takeMeanwhile takes the boundaries that were put aside before a look, and reads git's position again.
func (s *step) takeMeanwhile(h *heard, o *observation, news news) error {
	if news.moved { // the earlier changes were made without git
		if err := s.settleUntil(h, o, news.began); err != nil {
			return err
		}
	}
	s.tree.orient()
	err := s.takeLate(h, news.late, o)
	s.tree.orient()
	if err == nil && s.engine.Patient { // the agents of calls that began meanwhile may have ended
		s.seen.askProcesses(s.tree.time)
	}
	return err
}

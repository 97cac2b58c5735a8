package trails

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/snapshot"
)

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
	entries, _ := os.ReadDir(spoolDir(e.repo)) // what cannot be read does not wait
	now := time.Now()
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return isLate(entry.Name(), now) })
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
		n.began = sooner(n.began, earliest(n.late))
	}
	s.queue.checked = now
	return n
}

// takeWritten takes the word of git's hooks that git wrote to the work tree, and reports whether there was any.
// Nothing tells when git did, but that it was before: so it counts for all that is seen in this step, and at once,
// though the hook may still be trying.
func (s *step) takeWritten() (found bool) {
	entries, _ := os.ReadDir(spoolDir(s.repo)) // what cannot be read is not there
	for _, entry := range entries {
		name := filepath.Join(spoolDir(s.repo), entry.Name())
		if strings.HasSuffix(name, lateSuffix) || slices.Contains(s.queue.late, name) ||
			slices.Contains(s.queue.heard, name) || slices.Contains(s.state.Spooled, entry.Name()) {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil || !saysGitWrote(name, raw) {
			continue
		}
		found = true
		s.restoredNow()
		if leftNote(entry.Name(), time.Now()) {
			s.queue.late = append(s.queue.late, name)
		} else {
			s.queue.heard = append(s.queue.heard, name)
		}
	}
	return found
}

// longest is about the longest time before a hook gives up.
const longest = 3 * time.Second

// earliest returns the first of the moments at which boundaries were put aside.
func earliest(names []string) time.Time {
	at := putAsideAt(names[0])
	for _, name := range names[1:] {
		at = sooner(at, putAsideAt(name))
	}
	return at
}

func sooner(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// putAsideAt returns a moment, by the clock that stamps files. Nothing that a late boundary begins or ends can be seen
// in the work tree before it. It is when the boundary's hook gave up, for which the agent waits. For a process that was
// killed, it is when the process began. A file that is much younger than its name is a copy.
func putAsideAt(name string) time.Time {
	began := spooledAt(filepath.Base(name))
	if at, known := snapshot.Stamp(name); known && strings.HasSuffix(name, lateSuffix) && at.Sub(began) < longest {
		return at
	}
	return began.Add(-snapshot.Slack)
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

package trails

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// View is the state of the timeline at a commit, under its lock.
type View struct {
	Known   *ledger.Known
	Owners  *ledger.Owners
	Objects *refs.Objects
	// Blob reads a content.
	Blob func(refs.OID) ([]byte, error)
	// Unseen returns the owner of a committed line that is in no earlier content. A person owns it when no window was
	// open since the last snapshot of the path. A call owns it when only its window was open. The owner is unknown
	// before the first snapshot, and if another snapshot came in between.
	Unseen func(path string, line []byte) vector.Owner

	question func(Committed) *origin.Query
}

// Committed is a content of a commit.
type Committed struct {
	Path, OldPath string   // OldPath is its name in the parent
	Old           refs.OID // what the parent has; no id for a new file
	Lines         [][]byte
	Replaced      refs.OID // the commit whose place the commit took, if it is one that git made of another
	// Renamed gives the names that git finds in that commit for those in the new one.
	Renamed func() map[string]string
}

// Origins says where the lines of a committed content come from: the content it was most likely made of, contents that
// git may have taken it from, and earlier contents of the path.
func (v *View) Origins(c Committed) ([]vector.Origin, error) { return v.question(c).Lines() }

// AtCommit adds a commit to the timeline. First it settles the paths of the commit: a file written and committed inside
// one shell call belongs to that call. Then anchor says, under the same lock, which events record the commit. Lines
// that git brought are compared with the parent: a committed blob is always in HEAD, which is not evidence.
func (e *Engine) AtCommit(
	ctx context.Context, at time.Time, commit, parent refs.OID, paths []string,
	anchor func(*View) ([]events.Draft, error),
) error {
	return e.advance(ctx, at, func(s *step) error {
		if slices.Contains(s.state.Anchored, commit) {
			return nil
		}
		s.state.Anchored = append(s.state.Anchored, commit)
		s.env = events.Draft{Method: []events.Method{events.PostCommit}}
		s.over = append(s.over, s.askTranscripts()...)
		seeded := s.state.Interval == 0
		s.narrow, s.asks.Base, s.asks.Commit, s.asks.Paths = true, parent, commit, paths
		var wanted []string // nil for everything
		if len(s.over) == 0 || s.asks.Whole.Restored {
			wanted = append([]string{}, paths...)
		}
		// What a call may have written is found with the look that it ends at: later lines are a person's.
		if wanted == nil || len(wanted) > 0 {
			o, err := s.look(wanted)
			if err != nil {
				return err
			}
			if o.found() {
				if err := s.recordSnapshot("commit", o); err != nil {
					return err
				}
			}
		}
		young := sync.OnceValue(func() bool { return s.madeSince(commit) })
		v := &View{Known: s.known, Owners: s.owners, Objects: s.objects, Blob: s.blob,
			question: func(c Committed) *origin.Query { return s.committed(moment.Committed, c) }}
		s.asks.Latest = func(path string, _ [][]byte) (origin.Candidate, bool) {
			if !s.madeSinceLook(commit, path) {
				// It may be younger; what it has that says enough is found among the earlier contents.
				return origin.Candidate{}, false
			}
			return s.current(path)
		}
		v.Unseen = func(path string, line []byte) vector.Owner {
			who := nobody
			if by, ok := s.turnedUp(path, refs.OID{}); ok {
				who = *by(line)
			} else if !seeded && young() {
				who = *s.decideSince(path, e.began.state.seen(path))(line)
			}
			return s.ownerOf(who, patchSeed{interval: s.interval, path: path, after: commit})
		}
		drafts, err := anchor(v)
		if err != nil {
			return err
		}
		for _, d := range drafts {
			d.Time, d.Worktree = s.time, s.repo.WorktreeName()
			s.drafts = append(s.drafts, d)
		}
		return s.err
	})
}

// madeSince reports whether a commit is newer than the last full snapshot before this process. For an older commit, the
// calls that ran then are no longer known.
func (s *step) madeSince(commit refs.OID) bool {
	return s.workAfter(s.engine.began.git).MadeSince(commit)
}

// madeSinceLook reports whether a commit is newer than the last snapshot of a path before this process.
func (s *step) madeSinceLook(commit refs.OID, path string) bool {
	mark, at := s.engine.began.git, s.engine.began.state.seen(path)
	for _, look := range s.engine.began.state.Marks {
		if look.At == at {
			mark = look.Git
		}
	}
	return s.workAfter(mark).MadeSince(commit)
}

// Touched notes that git wrote to the work tree. While a window is open, it looks at the work tree at once. So git's
// lines differ from lines that the call writes later. Without a window, the next boundary does it.
func (e *Engine) Touched(ctx context.Context, at time.Time, method events.Method, role string) error {
	return e.written(ctx, at, method, func(s *step) error {
		if s.state.Interval > 0 && len(s.state.openWindows()) == 0 {
			return nil
		}
		return s.lookAtAll(role)
	})
}

// Restored notes that git wrote some paths, and looks at the work tree at once: nothing will tell which they were, nor
// from which commit, once somebody has changed them.
func (e *Engine) Restored(ctx context.Context, at time.Time, method events.Method, role string) error {
	return e.written(ctx, at, method, func(s *step) error { return s.lookAtAll(role) })
}

// written notes that git wrote to the work tree, and takes a snapshot. If the snapshot fails, for example for lack of
// time, the note stays for the next step.
func (e *Engine) written(ctx context.Context, at time.Time, method events.Method, look func(*step) error) error {
	note := announceWrote(e.repo, at)
	err := e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{method}}
		s.over = append(s.over, s.askTranscripts()...)
		if s.state.Interval > 0 {
			s.restoredNow()
		}
		return look(s)
	})
	if err != nil {
		note.stay()
		return err
	}
	note.End()
	return nil
}

// lookAtAll looks at the whole work tree and records what it finds.
func (s *step) lookAtAll(role string) error {
	o, err := s.look(nil)
	if err != nil || !o.found() {
		return err
	}
	return s.recordSnapshot(role, o)
}

// Origin takes the first snapshot of a work tree; it does nothing where there is one.
func (e *Engine) Origin(ctx context.Context, at time.Time) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		if s.state.Interval > 0 {
			return nil
		}
		o, err := s.look(nil)
		if err != nil {
			return err
		}
		return s.recordSnapshot("origin", o)
	})
}

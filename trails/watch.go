package trails

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// Unreported is a conversation that goes on in a work tree and that no hook reports.
type Unreported struct {
	Agent   string
	Session string
	Known   bool // an earlier look has put it down
}

// Watch looks at the whole work tree without a boundary of an agent and returns how many paths changed. It
// attributes the changes as at any boundary. While a conversation goes on that no hook reports, a change that no
// window explains belongs to nobody: the conversation or a person may have made it. If something changed and no
// such conversation is known, Watch asks others for them, if it is not nil.
func (e *Engine) Watch(ctx context.Context, at time.Time, unreported []Unreported,
	others func() ([]Unreported, error),
) (changed int, err error) {
	err = e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Watcher}}
		if err := s.goOn(unreported); err != nil {
			return err
		}
		if !s.unreported && others != nil {
			if err := s.askAhead(others); err != nil {
				return err
			}
		}
		o, err := s.look(nil)
		if err != nil || !o.found() {
			return err
		}
		changed = len(o.Changes)
		return s.recordSnapshot("watch", o)
	})
	return changed, err
}

// askAhead asks which conversations go on, if the work tree has changed: before it is said who changed it.
func (s *step) askAhead(others func() ([]Unreported, error)) error {
	if s.queue.ahead == nil {
		o, err := s.observe(nil)
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		s.queue.ahead = &o
	}
	if len(s.queue.ahead.Changes) == 0 {
		return nil
	}
	unreported, err := others()
	if err != nil {
		return err
	}
	return s.goOn(unreported)
}

// goOn notes that conversations go on and that no hook reports them.
func (s *step) goOn(unreported []Unreported) error {
	s.unreported = len(unreported) > 0
	for _, one := range unreported {
		if err := s.putDown(one); err != nil {
			return err
		}
	}
	return nil
}

// putDown notes once that a conversation is not captured.
func (s *step) putDown(one Unreported) error {
	if one.Known {
		return nil
	}
	data := events.IncompleteData{Boundary: "session", Reason: "not_reported"}
	return s.draft(events.CaptureIncomplete, data, func(d *events.Draft) {
		d.Trace, d.Agent, d.Session = events.NewTraceID(one.Agent, one.Session), one.Agent, one.Session
	})
}

// behind is the time after its last hook in which an agent may still write to a session file.
const behind = 2 * time.Minute

// Heard reports whether hooks report a conversation at a moment: its turn goes on, or its last hook was shortly
// before. It takes no lock.
func (e *Engine) Heard(trace events.TraceID, at time.Time) bool {
	s, err := loadState(e.repo)
	if err != nil || s.Sessions[trace] == nil {
		return false
	}
	sess := s.Sessions[trace]
	return !sess.Idle || at.Before(sess.Last.Add(behind))
}

// Remembered returns the owners of the lines of a content, at the time when the path had it. If no boundary saw it,
// they are nobody's.
func Remembered(repo *refs.Repo, path string, content []byte) PendingLines {
	p, _ := remembered(repo, path, newText(repo.Format.Hash(refs.BlobObject, content), content))
	return p
}

func remembered(repo *refs.Repo, path string, t text) (p PendingLines, known bool) {
	p = PendingLines{Vector: vector.Uniform(len(t.lines), vector.Unknown), owners: ledger.NewOwners(repo)}
	v, known := ledger.NewKnown(repo).Get(path, t.oid)
	if known = known && v.Len() == len(t.lines); known {
		p.Vector = v
	}
	return p, known
}

// Announce looks at the work tree, so that its contents are kept. It notes which contents the paths are about to get
// back. A content that turns up as announced brings the owners of its lines.
func (e *Engine) Announce(ctx context.Context, at time.Time, contents map[string]refs.OID) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		if err := s.lookAtAll("manual"); err != nil {
			return err
		}
		if s.state.Expected == nil {
			s.state.Expected = map[string]refs.OID{}
		}
		maps.Copy(s.state.Expected, contents)
		return nil
	})
}

// Arrived looks at the work tree after contents were put there. One that did not come is not waited for any longer.
func (e *Engine) Arrived(ctx context.Context, at time.Time, contents map[string]refs.OID) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		err := s.lookAtAll("manual")
		for path := range contents {
			delete(s.state.Expected, path)
		}
		return err
	})
}

// Kept returns which contents of paths the timeline can give back: a boundary saw them there, and they are still
// stored.
func Kept(ctx context.Context, repo *refs.Repo, contents map[string]refs.OID) (map[string]bool, error) {
	out := map[string]bool{}
	if len(contents) == 0 {
		return out, nil
	}
	objects, known := repo.Objects(), ledger.NewKnown(repo)
	defer objects.Close()
	last, err := snapshot.Open(ctx, repo, snapshotState(repo))
	if err != nil {
		return nil, fmt.Errorf("open snapshot state: %w", err)
	}
	defer last.Close()
	for path, content := range contents {
		_, seen := known.Get(path, content)
		if entry, found := last.Lookup(path); seen || found && entry.OID == content {
			_, err := objects.Blob(content)
			out[path] = err == nil
		}
	}
	return out, nil
}

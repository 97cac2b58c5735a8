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

// Unreported is a conversation in a work tree that continues without hooks.
type Unreported struct {
	Agent   string
	Session string
	Known   bool // an earlier look has recorded it
}

// Watch takes a full snapshot without a boundary of an agent, and returns the number of changed paths. The changes get
// their owners as at any boundary. While a conversation without hooks continues, a change that no window explains
// belongs to nobody: the conversation or a person may have made it. If something changed and no such conversation is
// known, Watch calls the function `others` to find one. If `others` is nil, it does not rely on a monitor either.
func (e *Engine) Watch(ctx context.Context, at time.Time, unreported []Unreported,
	others func() ([]Unreported, error),
) (changed int, err error) {
	err = e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env, s.looks.listens = events.Draft{Method: []events.Method{events.Watcher}}, others != nil
		if err := s.write(h).goOn(unreported); err != nil {
			return err
		}
		if !h.unreported && others != nil {
			if err := s.askAhead(h, others); err != nil {
				return err
			}
		}
		o, err := s.look(h, nil)
		if err != nil || !o.found() {
			return err
		}
		changed = len(o.Changes)
		return s.write(h).recordSnapshot("watch", o)
	})
	return changed, err
}

// Monitor starts a monitor of a work tree, so that the looks of calls need not compare every file with the disk.
func Monitor(repo *refs.Repo) (*snapshot.Monitor, error) {
	return snapshot.StartMonitor(repo, snapshotState(repo))
}

// askAhead finds conversations that continue without hooks, before the changes of the work tree get their owners.
func (s *step) askAhead(h *heard, others func() ([]Unreported, error)) error {
	if s.queue.ahead == nil {
		o, err := s.looks.observe(h, nil)
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
	return s.write(h).goOn(unreported)
}

// goOn notes that conversations continue without hooks, and records each once.
func (rec *record) goOn(unreported []Unreported) error {
	rec.heard.unreported = len(unreported) > 0
	data := events.IncompleteData{Boundary: "session", Reason: "not_reported"}
	for _, one := range unreported {
		if one.Known {
			continue
		}
		err := rec.draft(events.CaptureIncomplete, data, func(d *events.Draft) {
			d.Trace, d.Agent, d.Session = events.NewTraceID(one.Agent, one.Session), one.Agent, one.Session
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// `behind` is the time for which an agent may still write to a session file after its last hook.
const behind = 2 * time.Minute

// `Heard` reports whether hooks report a conversation at a moment: its turn continues, or its last hook was shortly
// before. It takes no lock.
func (e *Engine) Heard(trace events.TraceID, at time.Time) bool {
	s, err := loadState(e.repo)
	if err != nil || s.Sessions[trace] == nil {
		return false
	}
	sess := s.Sessions[trace]
	return !sess.Idle || at.Before(sess.Last.Add(behind))
}

// Remembered returns the owners of the lines of a content at the time when the path had it. If no boundary saw the
// content, its lines belong to nobody.
func Remembered(repo *refs.Repo, path string, content []byte) PendingLines {
	p, _ := remembered(repo, path, newText(repo.Format.Hash(refs.BlobObject, content), content))
	return p
}

func remembered(repo *refs.Repo, path string, t text) (p PendingLines, known bool) {
	p = PendingLines{Vector: vector.Uniform(len(t.Lines), vector.Unknown), owners: ledger.NewOwners(repo)}
	v, known := ledger.NewKnown(repo).Get(path, t.OID)
	if known = known && v.Len() == len(t.Lines); known {
		p.Vector = v
	}
	return p, known
}

// Announce takes a snapshot, so that the present contents are kept. It notes which contents the paths will get back. A
// content that arrives as announced keeps the owners of its lines.
func (e *Engine) Announce(ctx context.Context, at time.Time, contents map[string]refs.OID) error {
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.Manual}}
		if err := s.lookAt(h, nil, "manual"); err != nil {
			return err
		}
		if s.tree.state.Notes.Expected == nil {
			s.tree.state.Notes.Expected = map[string]refs.OID{}
		}
		maps.Copy(s.tree.state.Notes.Expected, contents)
		return nil
	})
}

// Arrived takes a snapshot after the contents were written. A content that did not arrive is no longer expected.
func (e *Engine) Arrived(ctx context.Context, at time.Time, contents map[string]refs.OID) error {
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.Manual}}
		err := s.lookAt(h, nil, "manual")
		for path := range contents {
			delete(s.tree.state.Notes.Expected, path)
		}
		return err
	})
}

// Kept returns the contents of paths that the timeline can give back: a boundary saw them there, and they are still
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

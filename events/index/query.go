package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// ByCommit returns the events that anchor a commit and are in force: this clone's log first, each log in its order.
// From each other log the newest mostAnchors count.
func (ix *Index) ByCommit(commit refs.OID) ([]events.Event, error) {
	prefix := exact(byAnchor, commit.String())
	return inForce(ix.gather(prefix, func(h *holder) ([]events.Event, error) {
		at, err := places(h.scan, 0)
		if err == nil && !h.own() {
			at = at[max(0, len(at)-max(1, min(mostAnchors, mostAnchoring/h.among))):]
		}
		if err != nil {
			return nil, err
		}
		return h.events(at)
	}))
}

// mostAnchors limits the number of events of one foreign log about one commit. A large commit has some dozens of parts.
const mostAnchors = 256

// mostAnchoring limits the number of events of all foreign logs about one commit. Each log has its newest event.
const mostAnchoring = 4096

func inForce(list []events.Event, err error) ([]events.Event, error) {
	return events.InForce(list), err
}

// Anchors counts the events that anchor a commit, in all logs, without reading them.
func (ix *Index) Anchors(commit refs.OID) (int, error) {
	return ix.countUnder(exact(byAnchor, commit.String()), math.MaxInt)
}

// countUnder counts the rows that begin with `prefix`, in all logs. It stops at the number `most`.
func (ix *Index) countUnder(prefix []byte, most int) (int, error) {
	return mended(ix, func() (int, error) {
		n := 0
		of, err := ix.holding(prefix)
		if err != nil {
			return 0, err
		}
		for i := range of {
			if err := of[i].scan(func([]byte, place) bool { n++; return n < most }); err != nil {
				return 0, fmt.Errorf("read index: %w", err)
			}
			if n >= most {
				break
			}
		}
		return n, nil
	})
}

// ByTrace returns the events of a conversation, each log in its order. Told gives the facts of the one log that counts.
func (ix *Index) ByTrace(trace events.TraceID) ([]events.Event, error) {
	return ix.all(exact(byTrace, string(trace)))
}

// ByPath returns the events that name a path, as git has it: patches, anchors that are in force, windows that declare
// it.
func (ix *Index) ByPath(path string) ([]events.Event, error) {
	return inForce(ix.all(exact(byPath, events.EncodePath(path))))
}

// maxAhead limits the number of events of a log that Anchoring keeps for later questions about its commits.
const maxAhead = 1 << 10

// Anchoring returns the commits with an anchor that names a path, until the context ends. It leaves out what cannot
// be read.
func (ix *Index) Anchoring(ctx context.Context, path string) []refs.OID {
	var out []refs.OID
	seen := map[refs.OID]bool{}
	prefix := exact(byPath, events.EncodePath(path))
	of, _ := ix.holding(prefix)
	for i := range of {
		ahead := map[place]events.Event{}
		_ = of[i].scan(func(_ []byte, at place) bool {
			e, err := of[i].event(at)
			var data events.CommitData
			if err == nil && e.Type == events.CommitAnchored && events.ReadData(e.Data, &data) == nil {
				if len(ahead) < maxAhead {
					ahead[at] = e
				}
				if !seen[data.Commit] {
					seen[data.Commit] = true
					out = append(out, data.Commit)
				}
			}
			return ctx.Err() == nil
		})
		of[i].ahead = ahead
	}
	return out
}

// UnderPath returns the events that name a path or a file below it; the empty path is the top.
func (ix *Index) UnderPath(path string) ([]events.Event, error) {
	if path == "" {
		return inForce(ix.all(prefixOf(byPath, "")))
	}
	here, err := ix.ByPath(path)
	if err != nil {
		return nil, err
	}
	below, err := inForce(ix.all(prefixOf(byPath, events.EncodePath(path+"/"))))
	return append(here, below...), err
}

func (ix *Index) ByType(typ events.Type) ([]events.Event, error) {
	return ix.all(exact(byType, string(typ)))
}

// ToolCall returns the events of a tool call. Different agents can use the same id.
func (ix *Index) ToolCall(id string) ([]events.Event, error) {
	return ix.all(exact(byTool, id))
}

// Patch returns the event that recorded a patch; false if there is none.
func (ix *Index) Patch(id events.PatchID) (events.Event, bool, error) {
	return ix.first(exact(byPatch, string(id)))
}

// Event returns an event of this clone's log by its number; false if there is none.
func (ix *Index) Event(seq int64) (events.Event, bool, error) {
	if seq < 1 {
		return events.Event{}, false, nil
	}
	return ix.within(0, seq)
}

// Last returns the number of this clone's last event.
func (ix *Index) Last() int64 {
	if len(ix.sources) == 0 {
		return 0
	}
	return ix.sources[0].copy.Last()
}

// Began returns the time of the first event of all logs that the index covers: recording began then. It is zero without
// any event.
func (ix *Index) Began() (time.Time, error) {
	return mended(ix, func() (began time.Time, err error) {
		for _, s := range ix.sources {
			if s.copy.Last() == 0 {
				continue
			}
			found, err := s.matches(s.number(1), 1)
			if err != nil {
				return time.Time{}, err
			}
			for _, e := range found {
				if began.IsZero() || e.Time.Before(began) {
					began = e.Time
				}
			}
		}
		return began, nil
	})
}

// OwnWriter returns the writer of this clone's log; empty while it has no event.
func (ix *Index) OwnWriter() (string, error) {
	if ix.own != "" || ix.Last() == 0 {
		return ix.own, nil
	}
	last, _, err := ix.Event(ix.Last())
	ix.own = last.Writer
	return ix.own, err
}

// Wrote reports whether this clone wrote an event: this clone's log has it, or a log that was set aside. Another log
// that names this clone's writer does not count.
func (ix *Index) Wrote(e *events.Event) (bool, error) {
	for i, s := range ix.sources {
		if i > 0 && !events.IsAside(s.copy.Ref()) || e.Seq < 1 || e.Seq > s.copy.Last() {
			continue
		}
		at, found, err := ix.within(i, e.Seq)
		if err != nil || found && at.ID == e.ID {
			return found, err
		}
	}
	return false, nil
}

// `all` returns the events of the rows that begin with prefix, log by log.
func (ix *Index) all(prefix []byte) ([]events.Event, error) {
	return ix.gather(prefix, func(h *holder) ([]events.Event, error) { return h.read(h.scan, 0) })
}

// gather joins the results of all logs that have rows with a prefix.
func (ix *Index) gather(prefix []byte, read func(*holder) ([]events.Event, error)) ([]events.Event, error) {
	return mended(ix, func() ([]events.Event, error) {
		of, err := ix.holding(prefix)
		if err != nil {
			return nil, err
		}
		var out []events.Event
		for i := range of {
			of[i].among = len(of)
			found, err := read(&of[i])
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return ix.once(out), nil
	})
}

// `once` drops events that an earlier voice also has, if several remotes have logs of one id.
func (ix *Index) once(list []events.Event) []events.Event {
	if !ix.several {
		return list
	}
	seen := make(map[events.ID]bool, len(list))
	return slices.DeleteFunc(list, func(e events.Event) bool {
		had := seen[e.ID]
		seen[e.ID] = true
		return had
	})
}

// `first` returns the first event with a prefix, from this clone's log if it has one.
func (ix *Index) first(prefix []byte) (events.Event, bool, error) {
	_, e, found, err := ix.firstIn(prefix)
	return e, found, err
}

// firstIn returns the first event with a prefix, and the place of its log.
func (ix *Index) firstIn(prefix []byte) (log int, e events.Event, found bool, err error) {
	e, err = mended(ix, func() (events.Event, error) {
		of, err := ix.holding(prefix)
		for i := 0; i < len(of) && err == nil; i++ {
			var list []events.Event
			if list, err = of[i].read(of[i].scan, 1); len(list) > 0 {
				log = of[i].at
				return list[0], nil
			}
		}
		return events.Event{}, err
	})
	return log, e, err == nil && e.ID != "", err
}

// `within` returns the event with a number in the log at a place; false if there is none.
func (ix *Index) within(log int, seq int64) (events.Event, bool, error) {
	e, err := mended(ix, func() (events.Event, error) {
		if log >= len(ix.sources) {
			return events.Event{}, nil
		}
		s := ix.sources[log]
		found, err := s.matches(s.number(seq), 1)
		return append(found, events.Event{})[0], err
	})
	return e, err == nil && e.ID != "", err
}

// matches reads the events of at most `limit` rows; 0 means all.
func (s *source) matches(prefix []byte, limit int) ([]events.Event, error) {
	return s.read(func(yield func([]byte, place) bool) error { return s.scan(prefix, yield) }, limit)
}

func (s *source) read(scan scanner, limit int) ([]events.Event, error) {
	at, err := places(scan, limit)
	if err != nil {
		return nil, err
	}
	return s.events(at)
}

// scanner passes on events in order, until the function `yield` returns false.
type scanner func(yield func(key []byte, at place) bool) error

func places(scan scanner, limit int) (out []place, err error) {
	err = scan(func(_ []byte, at place) bool {
		out = append(out, at)
		return len(out) != limit
	})
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	return out, nil
}

func (s *source) events(places []place) ([]events.Event, error) {
	out := make([]events.Event, 0, len(places))
	for _, at := range places {
		e, err := s.event(at)
		if err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

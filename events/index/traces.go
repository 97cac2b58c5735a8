package index

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Trace sums a conversation up.
type Trace struct {
	ID      events.TraceID
	Agent   string
	Session string
	Writer  string    // who recorded it
	Models  []string  // in the order they were first used
	First   time.Time // of what the conversation itself did; zero where the log has nothing of that
	Last    time.Time
	Events  int
	Hooked  int // events that hooks told, or a watcher; without any, the conversation was found afterwards
	Prompts int
	Calls   int // tool calls that may have written
	Patches int
	Added   int // lines that its patches brought
	Removed int // and took away
	Paths   pathSet
	Held    []Held // commits that hold lines of it, rewritten ones included
}

// mostModels bounds what a foreign log can make a summary hold.
const mostModels = 16

// count takes an event of the conversation in.
func (t *Trace) count(e *events.Event, n named) {
	if t.Events == 0 { // what anchors said of it counts no longer
		t.ID, t.Writer, t.Agent, t.Session, t.Models = e.Trace, e.Writer, "", "", nil
	}
	t.Agent, t.Session = cmp.Or(t.Agent, e.Agent), cmp.Or(t.Session, e.Session)
	t.Events++
	if happened(e.Type) {
		t.spread(e.Time, e.Time)
		if !slices.Contains(e.Method, events.Backfill) && !slices.Contains(e.Method, events.Import) {
			t.Hooked++
		}
	}
	t.uses(n.Model)
	switch e.Type {
	case events.PromptSubmitted:
		t.Prompts++
	case events.WindowOpened:
		t.Calls++
	case events.PatchRecorded:
		t.Patches++
		t.Added += max(0, n.NewCount)
		t.Removed += max(0, n.OldCount)
		t.Paths = t.Paths.with(n.Path)
	}
}

// happened tells whether an event is something that the conversation did. The others were written about it, whenever
// that was.
func happened(t events.Type) bool {
	switch t {
	case events.RecordStored, events.CommitAnchored, events.CommitRewritten, events.LogPurged, events.CheckpointSigned,
		events.CaptureIncomplete:
		return false
	}
	return true
}

// spread widens the time of the conversation; a zero time says nothing.
func (t *Trace) spread(first, last time.Time) {
	if !first.IsZero() && (t.First.IsZero() || first.Before(t.First)) {
		t.First = first
	}
	if last.After(t.Last) {
		t.Last = last
	}
}

func (t *Trace) uses(model string) {
	if model != "" && len(t.Models) < mostModels && !slices.Contains(t.Models, model) {
		t.Models = append(t.Models, model)
	}
}

// join adds what another part of the log, or another log, says of the same conversation.
func (t *Trace) join(o Trace) {
	t.joinOutcome(&o)
	switch {
	case o.Events == 0:
		t.ID = o.ID
		for _, m := range append([]string{""}, o.Models...) {
			t.named(o.Agent, o.Session, m)
		}
		return
	case t.Events == 0:
		paths, held := t.Paths, t.Held
		*t = o
		t.Models, t.Paths, t.Held = slices.Clone(o.Models), paths, held
		return
	}
	t.Agent, t.Session = cmp.Or(t.Agent, o.Agent), cmp.Or(t.Session, o.Session)
	for _, m := range o.Models {
		t.uses(m)
	}
	t.spread(o.First, o.Last)
	t.Events += o.Events
	t.Hooked += o.Hooked
	t.Prompts += o.Prompts
	t.Calls += o.Calls
	t.Patches += o.Patches
	t.Added += o.Added
	t.Removed += o.Removed
}

// Traces lists the conversations of all logs, the one with the latest event first. Those of which only anchors speak
// are among them: their lines came with a file of another program, or without their log.
func (ix *Index) Traces() ([]Trace, error) {
	return mended(ix, func() ([]Trace, error) {
		all := map[events.TraceID]*Trace{}
		for _, s := range ix.sources {
			err := s.traces(func(t Trace) {
				if all[t.ID] == nil {
					all[t.ID] = &Trace{}
				}
				all[t.ID].join(t)
			})
			if err != nil {
				return nil, err
			}
		}
		out := make([]Trace, 0, len(all))
		for _, t := range all {
			if t.Events > 0 || t.holds() {
				out = append(out, *t)
			}
		}
		slices.SortFunc(out, func(a, b Trace) int {
			return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
		})
		return out, nil
	})
}

// TraceIDs lists the conversations of all logs, in no order, without reading what sums them up.
func (ix *Index) TraceIDs() ([]events.TraceID, error) {
	return mended(ix, func() ([]events.TraceID, error) {
		seen := map[events.TraceID]bool{}
		for _, s := range ix.sources {
			if err := s.traceIDs(func(id events.TraceID) { seen[id] = true }); err != nil {
				return nil, err
			}
		}
		return slices.Collect(maps.Keys(seen)), nil
	})
}

// Trace sums one conversation up; false if there is none with that id.
func (ix *Index) Trace(id events.TraceID) (Trace, bool, error) {
	t, err := mended(ix, func() (Trace, error) {
		var sum Trace
		for _, s := range ix.sources {
			if err := s.trace(id, func(t Trace) { sum.join(t) }); err != nil {
				return Trace{}, err
			}
		}
		return sum, nil
	})
	return t, err == nil && t.Events > 0, err
}

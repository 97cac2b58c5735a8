package index

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Trace sums a conversation up.
type Trace struct {
	ID      events.TraceID
	Agent   string
	Session string
	Writer  string // the writer of the log that recorded the conversation
	Own     bool   // this clone's log has events of the conversation
	// Published is true if only a digest has the conversation: with prompts and commits, without calls and discarded
	// lines.
	Published bool
	Models    []string  // models in the order of their first use
	First     time.Time // time of the conversation's first own event; zero if the log has none
	Last      time.Time
	Events    int
	Hooked    int // events from hooks, or a watcher; without any, the conversation was found afterwards
	Prompts   int
	Calls     int // tool calls that may have written
	Patches   int
	Added     int // lines that its patches brought
	Removed   int // removed lines
	Paths     pathSet
	Held      []Held // commits with its lines, also rewritten ones
	// Elsewhere holds the facts that hooks of other clones saw, by their logs; the figures above do not include them.
	// Traces and Trace fill it.
	Elsewhere []Elsewhere
}

// Elsewhere is a part of a conversation that another clone recorded.
type Elsewhere struct {
	Writer  string    `json:"writer"`
	Last    time.Time `json:"last"`
	Prompts int       `json:"prompts"`
	Calls   int       `json:"calls"`
	Added   int       `json:"added"`
	Removed int       `json:"removed"`
}

// mostModels limits the number of models of a foreign log in a summary.
const mostModels = 16

// count adds an event of the conversation to its summary.
func (t *Trace) count(e *events.Event, n *named) {
	if t.Events == 0 { // earlier names from anchors do not count now
		t.ID, t.Writer, t.Agent, t.Session, t.Models = e.Trace, e.Writer, "", "", nil
	}
	t.Agent, t.Session = cmp.Or(t.Agent, e.Agent), cmp.Or(t.Session, e.Session)
	t.Events++
	if happened(e.Type) && !slices.Contains(e.Method, events.SessionFile) { // its time is the time of the reading
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
		t.Added += max(0, n.patch.NewCount)
		t.Removed += max(0, n.patch.OldCount)
		t.Paths = t.Paths.with(n.patch.Path)
	}
}

// `happened` reports whether an event is something that the conversation did. Other events were written about the
// conversation, perhaps much later.
func happened(t events.Type) bool {
	switch t {
	case events.RecordStored, events.CommitAnchored, events.CommitRewritten, events.LogPurged, events.CheckpointSigned,
		events.CaptureIncomplete, events.OutcomeNoted:
		return false
	}
	return true
}

// spread extends the time of the conversation; a zero time does not count.
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

// join adds the summary in another part of the same log.
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
		own, published, paths, held := t.Own, t.Published, t.Paths, t.Held
		*t = o
		t.Own, t.Published, t.Models, t.Paths, t.Held = own, published, slices.Clone(o.Models), paths, held
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

// Traces lists the conversations of all logs, the one with the latest event first. Conversations that only anchors
// name are among them: their lines came with a file of another program, or without their log.
func (ix *Index) Traces() ([]Trace, error) {
	newest, err := ix.Sums()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(newest, func(a, b *Trace) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	out := make([]Trace, len(newest))
	for i, t := range newest {
		out[i] = *t
	}
	return out, nil
}

// Sums returns the same summaries as Traces, unsorted.
func (ix *Index) Sums() ([]*Trace, error) {
	return mended(ix, func() ([]*Trace, error) { return ix.sums(nil) })
}

// sums returns a summary of each conversation whose key has a prefix, unsorted. A summary is too large to be moved
// while sorting.
func (ix *Index) sums(prefix []byte) ([]*Trace, error) {
	said := make([][]*Trace, len(ix.sources)) // by log
	for _, t := range ix.texts {
		err := t.sums(prefix, func(s *source, sum *Trace) { said[s.at] = append(said[s.at], sum) })
		if err != nil {
			return nil, err
		}
	}
	if len(said) == 1 { // no other log has it
		return slices.DeleteFunc(said[0], func(t *Trace) bool { return t.Events == 0 && !t.holds() }), nil
	}
	all := map[events.TraceID][]Trace{}
	for _, list := range said {
		for _, t := range list {
			all[t.ID] = append(all[t.ID], *t)
		}
	}
	out := make([]*Trace, 0, len(all))
	for _, logs := range all {
		if t := united(logs); t.Events > 0 || t.holds() {
			out = append(out, &t)
		}
	}
	return out, nil
}

// TraceIDs lists the conversations of all logs, in the order of their ids.
func (ix *Index) TraceIDs() ([]events.TraceID, error) {
	return mended(ix, func() ([]events.TraceID, error) {
		ids := []events.TraceID{}
		for _, t := range ix.texts {
			if err := t.sums(nil, func(_ *source, sum *Trace) { ids = append(ids, sum.ID) }); err != nil {
				return nil, err
			}
		}
		slices.Sort(ids)
		return slices.Compact(ids), nil
	})
}

// Trace returns the summary of one conversation; false if there is none with that id.
func (ix *Index) Trace(id events.TraceID) (Trace, bool, error) {
	t, err := mended(ix, func() (Trace, error) {
		if ix.summed.ID == id {
			return ix.summed, nil
		}
		_, logs, err := ix.tellings(id)
		if err != nil {
			return Trace{}, err
		}
		for i := range logs {
			if !logs[i].Own {
				logs[i].Held = ix.near(logs[i].Held)
			}
		}
		ix.summed = united(logs)
		return ix.summed, nil
	})
	return t, err == nil && t.Events > 0, err
}

// Names returns the summary without Held, which would need a look at the commits.
func (ix *Index) Names(id events.TraceID) (Trace, error) {
	return mended(ix, func() (Trace, error) {
		_, logs, err := ix.tellings(id)
		if err != nil {
			return Trace{}, err
		}
		t := united(logs)
		t.Held = nil
		return t, nil
	})
}

// `Told` returns the events of a conversation in the order of the log that has its story.
func (ix *Index) Told(id events.TraceID) ([]events.Event, error) {
	return mended(ix, func() ([]events.Event, error) {
		of, logs, err := ix.tellings(id)
		if err != nil {
			return nil, err
		}
		s := of[teller(logs)]
		return s.matches(tracedBy{s.copy.Number(), id}.key(), 0)
	})
}

// tellings returns the summaries from all logs with a conversation, in the order of the sources: this clone's log
// first, whatever it has.
func (ix *Index) tellings(id events.TraceID) (of []*source, logs []Trace, err error) {
	own := ix.sources[0]
	said := map[*source]*Trace{own: {Own: true}}
	of = append(of, own)
	for _, t := range ix.texts {
		err := t.sums(summaryKey(id), func(s *source, sum *Trace) {
			if said[s] == nil {
				of = append(of, s)
			}
			said[s] = sum
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(of, func(a, b *source) int { return cmp.Compare(a.at, b.at) })
	for _, s := range of {
		logs = append(logs, *said[s])
	}
	return of, logs, nil
}

// `united` joins the summaries of several logs about one conversation. Its events come from one log, and the commits
// with its lines from all. Adding up two logs would count it twice, and the maker of a log may claim anything.
func united(logs []Trace) Trace {
	at := teller(logs)
	out := logs[at]
	paths := out.Paths
	for i := range logs {
		if i == at {
			continue
		}
		o := &logs[i]
		out.joinOutcome(o)
		if o.Hooked > 0 && o.Writer != logs[at].Writer { // digests on two remotes have the same events
			out.Elsewhere = append(out.Elsewhere, Elsewhere{o.Writer, o.Last, o.Prompts, o.Calls, o.Added, o.Removed})
		}
		for _, m := range append([]string{""}, logs[i].Models...) {
			out.named(logs[i].Agent, logs[i].Session, m)
		}
		out.ID = cmp.Or(out.ID, logs[i].ID)
	}
	out.Paths = paths
	return out
}

// teller returns the index of the log whose events of a conversation count: this clone's log, if it saw the
// conversation do anything. Among the others, a log with its hooks comes before one written afterwards, then the
// smaller id of its writer.
func teller(logs []Trace) int {
	best := 0
	for i := range logs {
		a, b := &logs[i], &logs[best]
		if b.Own && b.rank() >= happenedHere {
			break
		}
		if a.rank() > b.rank() || a.rank() == b.rank() && a.rank() > 0 && !b.Own &&
			(a.Writer < b.Writer || a.Writer == b.Writer && a.Events > b.Events) {
			best = i
		}
	}
	return best
}

// happenedHere is the least rank of a log that has the conversation's actions.
const happenedHere = 2

// rank returns the rank of a log by what it knows of the conversation; a higher rank comes first.
func (t *Trace) rank() int {
	switch {
	case t.Hooked > 0:
		return happenedHere + 1
	case !t.First.IsZero():
		return happenedHere
	case t.Events > 0:
		return 1
	}
	return 0
}

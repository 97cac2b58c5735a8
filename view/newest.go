package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/search"
)

// Newest lists the first conversations, in the order of Conversations, whose ids begin with a text. The parameter
// `most` limits their number. It finds them by the times in the logs, and reads no others. If a record is in no log, it
// must read all.
func (r *Reader) Newest(beginning string, most int) ([]Conversation, error) {
	return r.newestBy(beginning, most, nil)
}

// `latest` lists the first conversations, in the order of Conversations. The parameter `most` limits their number. Of
// all other conversations, it reads only the last times, in the logs and in the records.
func (r *Reader) latest(most int) ([]Conversation, error) {
	if err := r.openStored(); err != nil {
		return nil, err
	}
	if r.stored == nil {
		return r.newestBy("", most, nil)
	}
	times, err := cached(r.stored.Times())
	if err != nil {
		return nil, err
	}
	return r.newestBy("", most, ends(times))
}

// `ends` makes a function that returns the last time of a conversation, from its record. The parameter `times` is in
// the order of ids. The function is fast if it is called in the same order.
func ends(times []search.Times) func(events.TraceID) time.Time {
	rest, last := times, events.TraceID("")
	return func(id events.TraceID) time.Time {
		if id < last {
			rest = times
		}
		for last = id; len(rest) > 0 && rest[0].Trace < id; {
			rest = rest[1:]
		}
		var c Conversation
		if len(rest) > 0 && rest[0].Trace == id {
			c.spread(rest[0].Start)
			c.spread(rest[0].End)
		}
		return c.Last
	}
}

// newestBy is Newest with another source of times.
func (r *Reader) newestBy(beginning string, most int, later func(events.TraceID) time.Time) ([]Conversation, error) {
	_, alone, err := r.ids(beginning)
	if err != nil {
		return nil, err
	}
	if len(alone) > 0 {
		return r.first(beginning, most)
	}
	logged, err := r.log.Newest(beginning, most, later)
	if err != nil {
		return nil, err
	}
	ids := make([]events.TraceID, len(logged))
	for i := range logged {
		ids[i] = logged[i].ID
	}
	if err := r.readSome(ids...); err != nil {
		return nil, err
	}
	out := make([]Conversation, len(logged))
	for i := range logged {
		if out[i], err = r.unite(&logged[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b Conversation) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Trace, b.Trace))
	})
	return out, nil
}

// `first` returns the first conversations of InOrder. The parameter `most` limits their number.
func (r *Reader) first(beginning string, most int) ([]Conversation, error) {
	out := []Conversation{}
	for c, err := range r.InOrder(beginning) {
		if err != nil {
			return nil, err
		}
		if len(out) == most {
			break
		}
		out = append(out, c)
	}
	return out, nil
}

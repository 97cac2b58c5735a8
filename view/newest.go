package view

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// Newest lists the first of Conversations whose ids begin so, at most so many. Which of those in logs are among them,
// the times in the logs say: the others are not read. A record of which no log tells makes it read all.
func (r *Reader) Newest(beginning string, most int) ([]Conversation, error) {
	_, alone, err := r.ids(beginning)
	if err != nil {
		return nil, err
	}
	if len(alone) > 0 {
		return r.first(beginning, most)
	}
	logged, err := r.log.Newest(beginning, most)
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

// first takes so many of InOrder.
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

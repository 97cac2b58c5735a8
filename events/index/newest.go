package index

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Newest returns the first conversations of Traces whose ids begin with a text. The parameter `most` limits their
// number. The function `later` returns a later time of a conversation from another source: it is called for each, in
// the order of the ids. It may be nil.
func (ix *Index) Newest(beginning string, most int, later func(events.TraceID) time.Time) ([]Trace, error) {
	list, err := mended(ix, func() ([]*Trace, error) { return ix.sums(prefixOf(byTrace, beginning)) })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *Trace) int { return cmp.Compare(a.ID, b.ID) })
	last := make(map[events.TraceID]time.Time, len(list))
	for _, t := range list {
		if last[t.ID] = t.Last; later != nil {
			if at := later(t.ID); at.After(t.Last) {
				last[t.ID] = at
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Trace) int { return last[b.ID].Compare(last[a.ID]) })
	out := make([]Trace, min(most, len(list)))
	for i := range out {
		out[i] = *list[i]
	}
	return out, nil
}

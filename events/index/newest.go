package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/codec"
)

// glimpse is the summary of a conversation in one part of a log, read until the newest are known.
type glimpse struct {
	id     events.TraceID
	last   time.Time
	events int
}

// mostHeads is a length that is enough for the heads of nearly all summaries. If it suffices, no more of a summary is
// copied.
const mostHeads = 192

// parseGlimpse reads a summary up to the number of its events, into t.
func parseGlimpse(v []byte, t *Trace) (glimpse, error) {
	for _, length := range [...]int{min(mostHeads, len(v)), len(v)} {
		*t = Trace{}
		r := codec.Reader{In: string(v[:length])}
		if t.head(&r); !r.Failed {
			return glimpse{t.ID, t.Last, t.Events}, nil
		}
	}
	return glimpse{}, fmt.Errorf("%w: summary", errDamaged)
}

// Newest returns the first of Traces whose ids have this beginning, at most this many. The others are not read whole.
// later returns a later time of a conversation from another source: it is called for each, in the order of the ids. It
// may be nil.
func (ix *Index) Newest(beginning string, most int, later func(events.TraceID) time.Time) ([]Trace, error) {
	return mended(ix, func() ([]Trace, error) {
		seen, err := ix.glimpses(beginning)
		if err != nil {
			return nil, err
		}
		if seen, err = ix.settled(seen); err != nil {
			return nil, err
		}
		for i := range seen {
			if later == nil {
				break
			}
			if at := later(seen[i].id); at.After(seen[i].last) {
				seen[i].last = at
			}
		}
		newest := firstOf(seen, most)
		out := make([]Trace, len(newest))
		for i, g := range newest {
			_, logs, err := ix.tellings(g.id)
			if err != nil {
				return nil, err
			}
			out[i] = united(logs)
		}
		return out, nil
	})
}

// firstOf returns the newest, at most this many, in the order of Traces.
func firstOf(seen []glimpse, most int) []glimpse {
	var out []glimpse
	for _, g := range seen {
		if len(out) == most && (most == 0 || g.last.Before(out[most-1].last)) {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, g, func(a, b glimpse) int {
			return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.id, b.id))
		})
		if at < most {
			out = slices.Insert(out[:min(len(out), most-1)], at, g)
		}
	}
	return out
}

// glimpses returns the glimpses of each part of each log, in the order of the ids.
func (ix *Index) glimpses(beginning string) ([]glimpse, error) {
	var out []glimpse
	for _, t := range ix.texts {
		if err := t.glimpses(beginning, func(g glimpse) { out = append(out, g) }); err != nil {
			return nil, err
		}
	}
	byID := func(a, b glimpse) int { return cmp.Compare(a.id, b.id) }
	if !slices.IsSortedFunc(out, byID) {
		slices.SortStableFunc(out, byID)
	}
	return out, nil
}

// settled leaves one glimpse of each conversation. If several parts have events of it, or only anchors do, it is read
// whole.
func (ix *Index) settled(seen []glimpse) ([]glimpse, error) {
	out := seen[:0]
	for i := 0; i < len(seen); {
		g, next := seen[i], i+1
		for next < len(seen) && seen[next].id == g.id {
			next++
		}
		if next-i > 1 || g.events == 0 {
			_, logs, err := ix.tellings(g.id)
			if err != nil {
				return nil, err
			}
			t := united(logs)
			if g.last = t.Last; t.Events == 0 && !t.holds() {
				i = next
				continue
			}
		}
		out, i = append(out, g), next
	}
	return out, nil
}

func (t *text) glimpses(beginning string, yield func(glimpse)) error {
	var one Trace
	err := t.shelf.eachSummary(prefixOf(byTrace, beginning), func(key, v []byte) error {
		if t.source(logAt(key)) == nil {
			return nil
		}
		g, err := parseGlimpse(v, &one)
		if err == nil {
			yield(g)
		}
		return err
	})
	if err != nil {
		return err
	}
	r, err := t.unstored()
	if err != nil {
		return err
	}
	for by, one := range r.traces {
		if t.source(by.log) != nil && strings.HasPrefix(string(by.id), beginning) {
			yield(glimpse{by.id, one.Last, one.Events})
		}
	}
	return nil
}

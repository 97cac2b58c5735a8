package backfill

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// version is a content that the history has of a path.
type version struct {
	blob      refs.OID
	at        time.Time // when it was written or committed, whichever came first
	committed time.Time
}

// maxVersions is the number of contents of the history that are tried for one edit, maxEarlier how many for a file
// that is written as a whole.
const (
	maxVersions = 24
	maxEarlier  = 8
)

// isDoubtful reports whether the dates leave it open if a content was there before an edit. They do so if the edit
// was made between the two dates of the commit. Such a commit may be an older one that was rebased, or one that was
// amended with the edit. They also do so where clocks differ a little and dates in full seconds say no more.
func (f *finder) isDoubtful(place int32, edits []*placed) bool {
	return slices.ContainsFunc(f.versions[place], func(v version) bool {
		return slices.ContainsFunc(edits, v.isDoubtful)
	})
}

func (v version) isDoubtful(e *placed) bool {
	return !e.late && !e.Time.IsZero() && !v.at.After(e.Time) && v.committed.After(e.Time.Add(-slack))
}

// mayBeBefore reports whether a content may have been there before an edit. One that this edit or a later one leaves
// behind was not, where the dates leave it open.
func (r *replay) mayBeBefore(v version, e *placed) bool {
	if !v.isDoubtful(e) {
		return true
	}
	at, is := r.result[v.blob]
	return !r.trial && (!is || at.Before(e.Time))
}

// earlier returns the contents that a file may have held before it was written as a whole: what was written last in any
// checkout, and what was committed by then.
func (r *replay) earlier(e *placed) []*content {
	var out []*content
	for _, root := range byPath(r.states) {
		out = append(out, r.states[root])
	}
	if e.late || e.Time.IsZero() {
		return out
	}
	n := 0
	for _, v := range slices.Backward(r.versions[r.place]) {
		if v.at.After(e.Time) || !r.mayBeBefore(v, e) {
			continue
		}
		if c, ok := r.content(v.blob); ok {
			out = append(out, c)
		}
		if n++; n == maxEarlier {
			break
		}
	}
	return out
}

// likely returns the probable content of a file before an edit, if it can be told without making the edit: what its
// checkout held last, or what was committed last by then.
func (r *replay) likely(e *placed) *content {
	if before := r.states[e.root]; before != nil || e.late || e.Time.IsZero() {
		return before
	}
	for _, v := range slices.Backward(r.versions[r.place]) {
		if !v.at.After(e.Time) && r.mayBeBefore(v, e) {
			c, _ := r.content(v.blob)
			return c
		}
	}
	return nil
}

// contents returns those in which an edit may have been made. First comes what was written last in its own checkout
// (own), then in others of this repository. Then comes what the history holds, what was there at the time first.
func (r *replay) contents(e *placed) iter.Seq2[*content, bool] {
	return func(yield func(c *content, own bool) bool) {
		if before := r.states[e.root]; before != nil && !yield(before, true) {
			return
		}
		for _, root := range byPath(r.states) {
			if root != e.root && root.how == member && !yield(r.states[root], false) {
				return
			}
		}
		versions := slices.DeleteFunc(slices.Clone(r.versions[r.place]), func(v version) bool { return !r.mayBeBefore(v, e) })
		slices.SortStableFunc(versions, func(a, b version) int {
			return cmp.Or(cmp.Compare(boolInt(a.at.After(e.Time)), boolInt(b.at.After(e.Time))),
				cmp.Compare(distance(a.at, e.Time), distance(b.at, e.Time)))
		})
		for _, v := range versions[:min(len(versions), maxVersions)] {
			if c, ok := r.content(v.blob); ok && !yield(c, false) {
				return
			}
		}
	}
}

// byPath lists the roots of states.
func byPath(states map[*root]*content) []*root {
	return slices.SortedFunc(maps.Keys(states), func(a, b *root) int { return cmp.Compare(a.path, b.path) })
}

func distance(a, b time.Time) time.Duration {
	if d := a.Sub(b); d > 0 {
		return d
	}
	return b.Sub(a)
}

// maxContent is the size of a content beyond which it is not looked into. maxRead is how much of the history of one
// file is kept in memory.
const (
	maxContent = 4 << 20
	maxRead    = 32 << 20
)

// content reads a content of the history. Its lines have the owners that the replay gave them, if an edit left it
// behind.
func (r *replay) content(blob refs.OID) (*content, bool) {
	if blob.IsZero() {
		return nil, false
	}
	c, done := r.read[blob]
	if !done {
		raw, err := r.options.Blob(blob)
		if err == nil && len(raw) <= maxContent && bytes.IndexByte(raw, 0) < 0 {
			c = newContent(raw)
		}
		if r.readSize += len(raw); r.readSize > maxRead {
			clear(r.read)
			r.readSize = len(raw)
		}
		r.read[blob] = c
	}
	if c == nil {
		return nil, false
	}
	if list := r.made[blob]; len(list) > 0 && len(list[len(list)-1].owners) == len(c.lines) {
		return &content{c.raw, c.lines, list[len(list)-1].owners}, true
	}
	return c, true
}

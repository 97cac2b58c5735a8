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

// version is one content of a path in the history.
type version struct {
	*pastFile
	of *past
}

// maxVersions limits the number of contents of the history that are compared for one edit. The constant maxEarlier is
// the bound for a file that an edit writes as a whole.
const (
	maxVersions = 24
	maxEarlier  = 8
)

// isDoubtful reports whether the dates cannot decide if a content existed before an edit. This is so if the edit was
// made between the two dates of the commit: an older commit may have been rebased, or amended with the edit. It is also
// so within the usual difference of clocks.
func (f *finder) isDoubtful(place int32, edits []*placed) bool {
	return slices.ContainsFunc(f.versions[place], func(v version) bool {
		return slices.ContainsFunc(edits, v.isDoubtful)
	})
}

func (v version) isDoubtful(e *placed) bool {
	return !e.late && !e.Time.IsZero() && !v.of.earlier().After(e.Time) && v.of.Committed.After(e.Time.Add(-slack))
}

// mayBeBefore reports whether a content may have existed before an edit. If the dates cannot decide, a content counts
// as later if this edit or a later one results in it.
func (r *replay) mayBeBefore(v version, e *placed) bool {
	if !v.isDoubtful(e) {
		return true
	}
	at, is := r.result[v.blob]
	return !r.trial && (!is || at.Before(e.Time))
}

// `earlier` returns the possible contents of a file before an edit wrote it as a whole: the last one that each checkout
// had, and committed ones of that time.
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
		if v.of.earlier().After(e.Time) || !r.mayBeBefore(v, e) {
			continue
		}
		if c, ok := r.content(v.blob); ok {
			out = append(out, c.cut())
		}
		if n++; n == maxEarlier {
			break
		}
	}
	return out
}

// `likely` returns the most likely content of a file before an edit, without repeating the edit. It is the last content
// in the edit's checkout, or the last committed one of that time.
func (r *replay) likely(e *placed) *content {
	if before := r.states[e.root]; before != nil || e.late || e.Time.IsZero() {
		return before
	}
	for _, v := range slices.Backward(r.versions[r.place]) {
		if !v.of.earlier().After(e.Time) && r.mayBeBefore(v, e) {
			if c, ok := r.content(v.blob); ok {
				return c.cut()
			}
			return nil
		}
	}
	return nil
}

// contents yields the contents on which an edit may have been made, and whether a content is from the edit's own
// checkout. First come the last contents of its own checkout, then of other checkouts of this repository. Then come the
// contents of the history, beginning with contents of that time.
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
			return cmp.Or(cmp.Compare(boolInt(a.of.earlier().After(e.Time)), boolInt(b.of.earlier().After(e.Time))),
				cmp.Compare(distance(a.of.earlier(), e.Time), distance(b.of.earlier(), e.Time)))
		})
		for _, v := range versions[:min(len(versions), maxVersions)] {
			if c, ok := r.content(v.blob); ok && !yield(c, false) {
				return
			}
		}
	}
}

func byPath(states map[*root]*content) []*root {
	return slices.SortedFunc(maps.Keys(states), func(a, b *root) int { return cmp.Compare(a.path, b.path) })
}

func distance(a, b time.Time) time.Duration {
	if d := a.Sub(b); d > 0 {
		return d
	}
	return b.Sub(a)
}

// maxContent limits the size of a content that is read. The constant maxRead limits the total size of the contents of
// one file in memory.
const (
	maxContent = 4 << 20
	maxRead    = 32 << 20
)

// content reads a blob of the history, not yet cut. If it is the result of an edit, its lines have the owners from the
// replay.
func (r *replay) content(blob refs.OID) (*content, bool) {
	if blob.IsZero() {
		return nil, false
	}
	c, done := r.read[blob]
	if !done {
		raw, err := r.options.Blob(blob)
		if err == nil && len(raw) <= maxContent && bytes.IndexByte(raw, 0) < 0 {
			c = &content{raw: raw}
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
	if list := r.made[blob]; len(list) > 0 && list[len(list)-1].lines == len(c.cut().lines) {
		return &content{c.raw, c.lines, list[len(list)-1].owners()}, true
	}
	return c, true
}

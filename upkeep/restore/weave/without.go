package weave

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Result is a file without the changes of a writer.
type Result struct {
	Lines     [][]byte
	Conflicts int
	Taken     int // number of the writer's lines that are removed
	Back      int // number of others' lines that come back
	Others    int // number of others' lines in the present file
}

// Labels holds the texts after the conflict markers.
type Labels struct{ Now, Without string }

// Back adds the texts of the lines that come back, without white space, to into.
func (w *Weave) Back(into map[string]bool) {
	for _, l := range backs(w.lines) {
		into[string(linediff.StripSpace(l.text))] = true
	}
}

// Keep keeps others' lines that the writer moved here, unless they come back in this file or elsewhere. The parameter
// `back` has the texts, without white space, of the lines that come back elsewhere.
func (w *Weave) Keep(back map[string]bool) {
	for _, l := range w.lines {
		if l.brought && !l.gone && w.taken[l.hunk] == 0 && !back[string(linediff.StripSpace(l.text))] {
			l.mine = false
		}
	}
}

// span is the range of lines of a conflict.
type span struct{ first, last int }

// spans returns the conflicts in order. Overlapping ones are joined.
func (w *Weave) spans() []span {
	at := map[*line]int{}
	for i, l := range w.lines {
		at[l] = i
	}
	var all []span
	for _, c := range w.clashes {
		s := span{at[c[0]], at[c[0]]}
		for _, l := range c {
			s.first, s.last = min(s.first, at[l]), max(s.last, at[l])
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.first <= out[n-1].last {
			out[n-1].last = max(out[n-1].last, s.last)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// `Without` returns the file without the writer's changes.
func (w *Weave) Without(labels Labels) Result {
	var r Result
	from := 0
	for _, s := range append(w.spans(), span{len(w.lines), len(w.lines) - 1}) {
		for _, l := range w.lines[from:s.first] {
			r.count(l)
			if l.stays() {
				r.Lines = append(r.Lines, l.text)
			}
		}
		r.conflict(w.lines[s.first:s.last+1], labels)
		from = s.last + 1
	}
	return r
}

func (r *Result) count(l *line) {
	switch {
	case l.back():
		r.Back++
	case l.mine && !l.gone:
		r.Taken++
	case !l.gone:
		r.Others++
	}
}

// conflict writes both versions of a span between markers, without their common ends.
func (r *Result) conflict(lines []*line, labels Labels) {
	var now, without [][]byte
	own := 0
	for _, l := range lines {
		if !l.gone {
			now = append(now, l.text)
			if l.mine {
				own++
			} else {
				r.Others++
			}
		}
		if l.stays() && (!l.rival || l.gone) {
			without = append(without, l.text)
		}
	}
	if own == len(now) && own > 0 { // only lines of the writer are left, so there is no conflict
		r.Lines, r.Taken, r.Back = append(r.Lines, without...), r.Taken+own, r.Back+len(without)
		return
	}
	begin, end := 0, 0
	for begin < min(len(now), len(without)) && bytes.Equal(now[begin], without[begin]) {
		begin++
	}
	for end < min(len(now), len(without))-begin && bytes.Equal(now[len(now)-1-end], without[len(without)-1-end]) {
		end++
	}
	r.Lines = append(r.Lines, now[:begin]...)
	if len(now) != len(without) || begin+end < len(now) {
		r.Conflicts++
		r.Lines = append(r.Lines, []byte("<<<<<<< "+labels.Now))
		r.Lines = append(r.Lines, now[begin:len(now)-end]...)
		r.Lines = append(r.Lines, []byte("======="))
		r.Lines = append(r.Lines, without[begin:len(without)-end]...)
		r.Lines = append(r.Lines, []byte(">>>>>>> "+labels.Without))
	}
	r.Lines = append(r.Lines, now[len(now)-end:]...)
}

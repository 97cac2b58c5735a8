package vector

import (
	"sort"

	"github.com/git-trace/git-trace/trails/linediff"
)

// stream is some lines without their white space, as one text.
type stream struct {
	text []byte
	ends []int // where line i begins: ends[i]; where it ends: ends[i+1]
}

func newStream(keys [][]byte) stream {
	s := stream{ends: make([]int, 1, len(keys)+1)}
	for _, key := range keys {
		s.text = append(s.text, key...)
		s.ends = append(s.ends, len(s.text))
	}
	return s
}

func (s stream) lines() int { return len(s.ends) - 1 }

// border tells whether a line begins or ends at an offset.
func (s stream) border(offset int) bool {
	i := sort.SearchInts(s.ends, offset)
	return i < len(s.ends) && s.ends[i] == offset
}

// wrapping is the comparison of the old and the new lines of a gap as streams.
type wrapping struct {
	old, new stream
	runs     []wrappedRun
}

// wrappedRun is a run of new lines that hold nothing but a piece of the old stream; offset added to a place in the new
// stream gives the place in the old one. The old lines in it are those that it holds in full.
type wrappedRun struct {
	link
	offset int
}

// matchWrapped finds the lines in a gap of a hunk that were wrapped or joined without other changes. For example: a
// formatter breaks an agent's long call into three lines, and all three are the agent's.
func (c *Change) matchWrapped(p *part, oldKeys, newKeys [][]byte, gap link) {
	if gap.old.Len() == 0 || gap.new.Len() == 0 {
		return
	}
	w := wrapping{
		old: newStream(oldKeys[gap.old.Start:gap.old.End]),
		new: newStream(newKeys[gap.new.Start:gap.new.End]),
	}
	w.match()
	for _, run := range w.runs {
		for j := run.new.Start; j < run.new.End; j++ {
			if line, found := c.lineOf(w, run, j, p.OldStart+gap.old.Start); found {
				c.keep(p, gap.new.Start+j, gap.old.Start+line)
			}
		}
		p.link(link{
			linediff.Range{Start: gap.old.Start + run.old.Start, End: gap.old.Start + run.old.End},
			linediff.Range{Start: gap.new.Start + run.new.Start, End: gap.new.Start + run.new.End},
		})
	}
}

// match finds the runs. One is at the common beginning of the streams, one at their common end. Between them are those
// where some lines of one side are the same text as some lines of the other.
func (w *wrapping) match() {
	a, b := w.old.text, w.new.text
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(a), len(b))-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	same := prefix == len(a) && prefix == len(b)
	if len(a) == 0 || len(b) == 0 {
		return
	}
	oldEnd, newEnd := w.old.lines(), w.new.lines()
	first, last := link{}, link{linediff.Range{Start: oldEnd, End: oldEnd}, linediff.Range{Start: newEnd, End: newEnd}}
	enough := same || letters(a[:prefix])+letters(a[len(a)-suffix:]) >= trivial
	if enough {
		first = w.beginning(prefix)
		last = w.ending(suffix, first)
	}
	if first.new.Len() > 0 {
		w.runs = append(w.runs, wrappedRun{first, 0})
	}
	w.between(first, last)
	if last.new.Len() > 0 {
		w.runs = append(w.runs, wrappedRun{last, len(a) - len(b)})
	}
}

// beginning finds the new lines at the top that lie in the common beginning. A line may end in the middle of an old one
// only if the common text goes on behind it: otherwise the old line was not wrapped there, its rest was taken away.
func (w *wrapping) beginning(prefix int) link {
	var l link
	for j := range w.new.lines() {
		end := w.new.ends[j+1]
		if end > prefix || end == prefix && !w.old.border(end) {
			break
		}
		l.new.End = j + 1
	}
	for l.old.End < w.old.lines() && w.old.ends[l.old.End+1] <= w.new.ends[l.new.End] {
		l.old.End++
	}
	return l
}

// ending is the same for the lines at the bottom, down to the lines that the beginning has taken.
func (w *wrapping) ending(suffix int, first link) link {
	oldEnd, newEnd := w.old.lines(), w.new.lines()
	shift := len(w.old.text) - len(w.new.text)
	from := len(w.new.text) - suffix
	l := link{linediff.Range{Start: oldEnd, End: oldEnd}, linediff.Range{Start: newEnd, End: newEnd}}
	for j := newEnd - 1; j >= first.new.End; j-- {
		start := w.new.ends[j]
		if start < from || start == from && !w.old.border(start+shift) {
			break
		}
		l.new.Start = j
	}
	for l.old.Start > first.old.End && w.old.ends[l.old.Start-1] >= w.new.ends[l.new.Start]+shift {
		l.old.Start--
	}
	return l
}

// maxPairs bounds the search between beginning and end: so many pairs of an old and a new line are looked at.
const maxPairs = 1 << 16

// between finds runs of whole lines that became other whole lines, in order.
func (w *wrapping) between(first, last link) {
	oldAt, oldEnd := first.old.End, last.old.Start
	if w.old.ends[oldAt] < w.new.ends[first.new.End] {
		oldAt++ // a part of this line is in the beginning already
	}
	if shift := len(w.old.text) - len(w.new.text); w.old.ends[oldEnd] > w.new.ends[last.new.Start]+shift {
		oldEnd--
	}
	newEnd := last.new.Start
	if (oldEnd-oldAt)*(newEnd-first.new.End) > maxPairs {
		return
	}
	for j := first.new.End; j < newEnd; j++ {
		for i := oldAt; i < oldEnd; i++ {
			run, found := w.wrappedAt(i, j, oldEnd, newEnd)
			if found {
				w.runs = append(w.runs, run)
				oldAt, j = run.old.End, run.new.End-1
				break
			}
		}
	}
}

// wrappedAt tells whether the texts from old line i and from new line j on are the same, up to a common line end. It
// takes as many lines as are the same.
func (w *wrapping) wrappedAt(i, j, oldEnd, newEnd int) (wrappedRun, bool) {
	a, b := w.old, w.new
	offset := a.ends[i] - b.ends[j]
	if a.ends[i+1] == a.ends[i] || b.ends[j+1] == b.ends[j] {
		return wrappedRun{}, false // a blank line begins nothing
	}
	run := wrappedRun{link{linediff.Range{Start: i, End: i}, linediff.Range{Start: j, End: j}}, offset}
	at := b.ends[j]
	oldLine, newLine := i, j
	for oldLine < oldEnd && newLine < newEnd {
		// Up to the nearer of the two line ends.
		stop := min(a.ends[oldLine+1]-offset, b.ends[newLine+1])
		if string(a.text[at+offset:stop+offset]) != string(b.text[at:stop]) {
			break
		}
		at = stop
		oldEnds, newEnds := a.ends[oldLine+1] == at+offset, b.ends[newLine+1] == at
		if oldEnds {
			oldLine++
		}
		if newEnds {
			newLine++
		}
		if oldEnds && newEnds {
			run.old.End, run.new.End = oldLine, newLine
		}
	}
	return run, letters(b.text[b.ends[j]:b.ends[run.new.End]]) >= trivial
}

// lineOf finds the old line of the gap whose owner a new line takes: the owner of most of its characters, of equals the
// first. For example: a person joins their own short line with an agent's long one, and the joined line is the agent's.
// A blank line comes from a blank line at the same place, or from nowhere. The gap begins at the old line base.
func (c *Change) lineOf(w wrapping, run wrappedRun, j, base int) (line int, found bool) {
	start, end := w.new.ends[j]+run.offset, w.new.ends[j+1]+run.offset
	if start == end {
		return w.blankLine(run, j, start)
	}
	type share struct{ line, chars int }
	var shares []share
	for i := max(sort.SearchInts(w.old.ends, start+1)-1, 0); i < w.old.lines() && w.old.ends[i] < end; i++ {
		chars := min(end, w.old.ends[i+1]) - max(start, w.old.ends[i])
		counted := false
		for k := range shares {
			if c.old.Owners.At(base+shares[k].line) == c.old.Owners.At(base+i) {
				shares[k].chars += chars
				counted = true
				break
			}
		}
		if !counted && chars > 0 {
			shares = append(shares, share{i, chars})
		}
	}
	best := share{}
	for _, s := range shares {
		if s.chars > best.chars {
			best = s
		}
	}
	return best.line, best.chars > 0
}

// blankLine finds the old blank line for the new blank line j: of those at the same place the k-th for the k-th.
func (w *wrapping) blankLine(run wrappedRun, j, at int) (line int, found bool) {
	k := 0
	for j-1-k >= run.new.Start && w.new.ends[j-1-k] == w.new.ends[j] {
		k++
	}
	for i := run.old.Start; i < run.old.End; i++ {
		if w.old.ends[i] != at || w.old.ends[i+1] != at {
			continue
		}
		if k == 0 {
			return i, true
		}
		k--
	}
	return 0, false
}

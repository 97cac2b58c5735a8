package vector

import "slices"

// wordRun is a run of words that two streams have in common: its starts in both, and its length.
type wordRun struct{ old, new, words int }

// aligner finds common runs, in order.
type aligner struct {
	a, b *stream
	runs []wordRun
	left int // number of word pairs that may still be compared
}

// The bounds of the search: the number of word pairs that are compared in one place, and in total.
const (
	maxPairs    = 1 << 16
	maxAllPairs = 1 << 22
)

// alignWords finds the common beginning and the common end of two streams. Between them it takes the heaviest common
// run, and then repeats this before and after that run. If the part between them is long, runs are found from words
// that each side has exactly once.
func alignWords(a, b *stream) []wordRun {
	x := aligner{a: a, b: b, left: maxAllPairs}
	x.between(0, len(a.keys), 0, len(b.keys))
	return joined(x.runs)
}

// slid moves a gap between two runs if the gap has words on only one side, and begins or ends with the same words as a
// neighbouring run. It chooses the position at which most ends are line borders. For example: a person puts the line
// `const a = 1` above the line `const b = 2`. The first `const` is the person's.
func slid(a, b *stream, runs []wordRun) []wordRun {
	for i := 1; i < len(runs); i++ {
		above, below := &runs[i-1], &runs[i]
		oldEnd, newEnd := above.old+above.words, above.new+above.words
		if (oldEnd == below.old) == (newEnd == below.new) {
			continue
		}
		s, end, start := b, newEnd, below.new
		if newEnd == below.new {
			s, end, start = a, oldEnd, below.old
		}
		by := bestShift(s, end, start, -above.words, below.words, func(by int) bool {
			return a.border(below.old+by) || b.border(below.new+by)
		})
		above.words += by
		*below = wordRun{below.old + by, below.new + by, below.words - by}
	}
	return slices.DeleteFunc(runs, func(r wordRun) bool { return r.words == 0 })
}

// bestShift returns the number of words, between `least` and `most`, by which to shift the words `from` ≤ word < `to`
// of a stream, so that most of their ends are line borders. The function `other` returns the number of line borders in
// the other stream.
func bestShift(s *stream, from, to, least, most int, other func(by int) bool) int {
	borders := func(by int) int {
		n := 0
		for _, at := range []bool{s.border(from + by), s.border(to + by), other(by)} {
			if at {
				n++
			}
		}
		return n
	}
	best, found := 0, borders(0)
	for _, step := range []int{-1, 1} {
		for by := step; least <= by && by <= most; by += step {
			if at := min(by, by-step); s.keys[from+at] != s.keys[to+at] {
				break
			}
			if n := borders(by); n > found {
				best, found = by, n
			}
		}
	}
	return best
}

// `joined` merges runs that follow each other directly on both sides.
func joined(runs []wordRun) []wordRun {
	var out []wordRun
	for _, r := range runs {
		if last := len(out) - 1; last >= 0 {
			if before := &out[last]; before.old+before.words == r.old && before.new+before.words == r.new {
				before.words += r.words
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

func (x *aligner) take(old, new, words int) {
	if words > 0 {
		x.runs = append(x.runs, wordRun{old, new, words})
	}
}

func (x *aligner) between(oldFrom, oldTo, newFrom, newTo int) {
	a, b := x.a.keys, x.b.keys
	n := 0
	for oldFrom+n < oldTo && newFrom+n < newTo && a[oldFrom+n] == b[newFrom+n] {
		n++
	}
	x.take(oldFrom, newFrom, n)
	oldFrom, newFrom = oldFrom+n, newFrom+n
	n = 0
	for oldTo-n > oldFrom && newTo-n > newFrom && a[oldTo-n-1] == b[newTo-n-1] {
		n++
	}
	oldTo, newTo = oldTo-n, newTo-n
	switch pairs := (oldTo - oldFrom) * (newTo - newFrom); {
	case pairs == 0:
	case pairs > maxPairs:
		x.anchored(oldFrom, oldTo, newFrom, newTo)
	case pairs <= x.left:
		x.left -= pairs
		if r := x.heaviest(oldFrom, oldTo, newFrom, newTo); r.words > 0 {
			x.between(oldFrom, r.old, newFrom, r.new)
			x.take(r.old, r.new, r.words)
			x.between(r.old+r.words, oldTo, r.new+r.words, newTo)
		}
	}
	x.take(oldTo, newTo, n)
}

// heaviest returns the common run with the most letters and digits, unless it is trivial. If several are equal, it
// returns the first one in the new words, then the first in the old words.
func (x *aligner) heaviest(oldFrom, oldTo, newFrom, newTo int) wordRun {
	a, b := x.a.keys[oldFrom:oldTo], x.b.keys[newFrom:newTo]
	type end struct{ words, weight int }
	row := make([]end, len(a)+1) // for each old word: the run that ends with it and the previous new word
	best, most := wordRun{}, trivial-1
	for j, key := range b {
		var corner end
		for i := range a {
			above := row[i+1]
			row[i+1] = end{}
			if a[i] == key {
				row[i+1] = end{corner.words + 1, corner.weight + x.b.weights[newFrom+j]}
				if e := row[i+1]; e.weight > most {
					best, most = wordRun{oldFrom + i + 1 - e.words, newFrom + j + 1 - e.words, e.words}, e.weight
				}
			}
			corner = above
		}
	}
	return best
}

// `anchored` finds runs from phrases that each side has exactly once, and continues between these runs.
func (x *aligner) anchored(oldFrom, oldTo, newFrom, newTo int) {
	for _, length := range []int{4, 2, 1} {
		anchors := inOrder(x.anchors(oldFrom, oldTo, newFrom, newTo, length))
		if len(anchors) == 0 {
			continue
		}
		for _, at := range anchors {
			if at.old < oldFrom || at.new < newFrom {
				continue // the previous run already has it
			}
			r := x.extend(wordRun{at.old, at.new, length}, oldFrom, oldTo, newFrom, newTo)
			x.between(oldFrom, r.old, newFrom, r.new)
			x.take(r.old, r.new, r.words)
			oldFrom, newFrom = r.old+r.words, r.new+r.words
		}
		x.between(oldFrom, oldTo, newFrom, newTo)
		return
	}
}

func (x *aligner) extend(r wordRun, oldFrom, oldTo, newFrom, newTo int) wordRun {
	a, b := x.a.keys, x.b.keys
	for r.old > oldFrom && r.new > newFrom && a[r.old-1] == b[r.new-1] {
		r = wordRun{r.old - 1, r.new - 1, r.words + 1}
	}
	for r.old+r.words < oldTo && r.new+r.words < newTo && a[r.old+r.words] == b[r.new+r.words] {
		r.words++
	}
	return r
}

// anchors lists the phrases that each side has exactly once, in the order of the new words.
func (x *aligner) anchors(oldFrom, oldTo, newFrom, newTo, length int) []wordRun {
	type count struct{ old, new, at int }
	counts := map[uint64]*count{}
	for i := oldFrom; i+length <= oldTo; i++ {
		key := phrase(x.a.keys[i : i+length])
		if c := counts[key]; c != nil {
			c.old++
		} else {
			counts[key] = &count{old: 1, at: i}
		}
	}
	for j := newFrom; j+length <= newTo; j++ {
		if c := counts[phrase(x.b.keys[j:j+length])]; c != nil {
			c.new++
		}
	}
	var out []wordRun
	for j := newFrom; j+length <= newTo; j++ {
		if c := counts[phrase(x.b.keys[j:j+length])]; c != nil && c.old == 1 && c.new == 1 {
			out = append(out, wordRun{c.at, j, length})
		}
	}
	return out
}

func phrase(keys []uint64) uint64 {
	h := uint64(0)
	for _, k := range keys {
		h = (h ^ k) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// inOrder returns the longest subsequence of a list in which the old and the new places both increase.
func inOrder(list []wordRun) []wordRun {
	var tops []int // by length: the last element of the best subsequence
	before := make([]int, len(list))
	for i, r := range list {
		lo, hi := 0, len(tops)
		for lo < hi {
			if mid := (lo + hi) / 2; list[tops[mid]].old < r.old {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		before[i] = -1
		if lo > 0 {
			before[i] = tops[lo-1]
		}
		if lo == len(tops) {
			tops = append(tops, i)
		} else {
			tops[lo] = i
		}
	}
	out := make([]wordRun, len(tops))
	if len(tops) > 0 {
		for i, k := tops[len(tops)-1], len(tops)-1; k >= 0; i, k = before[i], k-1 {
			out[k] = list[i]
		}
	}
	return out
}

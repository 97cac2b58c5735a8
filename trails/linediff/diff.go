package linediff

import "bytes"

// Key is a rule for when two lines are equal.
type Key int

// The keys.
const (
	Exact   Key = iota // byte for byte
	NoSpace            // without all white space
)

// Options control how lines are compared. The zero value compares as git does.
type Options struct {
	Key Key
	// Minimal asks for the shortest script at any cost, as `git diff --minimal` does. It is for small inputs only.
	Minimal bool
}

// Script is the result of a comparison.
type Script struct {
	Hunks []Hunk
	// Capped is true if the search was cut short: the script is correct, but may not be the shortest.
	Capped bool
}

// Diff compares two lists of lines.
func Diff(old, new [][]byte, options Options) Script {
	oldKeys, newKeys := old, new
	if options.Key == NoSpace {
		oldKeys, newKeys = StripLines(old), StripLines(new)
	}
	if tail := hiddenTail(oldKeys, newKeys); tail > 0 && !options.Minimal {
		old, oldKeys = old[:len(old)-tail], oldKeys[:len(oldKeys)-tail]
		new, newKeys = new[:len(new)-tail], newKeys[:len(newKeys)-tail]
	}
	a := text{lines: old, keys: oldKeys, marks: make([]bool, len(old)+2)}
	b := text{lines: new, keys: newKeys, marks: make([]bool, len(new)+2)}

	capped := markChanges(&a, &b, options.Minimal)
	if a.untouched() && b.untouched() {
		return Script{}
	}
	slideGroups(&a, &b)
	slideGroups(&b, &a)
	return Script{Hunks: collect(&a, &b), Capped: capped}
}

// text is one side of a comparison.
type text struct {
	lines [][]byte // unchanged lines, for the indent heuristic
	keys  [][]byte // the form that is compared
	// marks holds the lines that are not kept. Line i has marks[i+1], so that both ends have a kept neighbour.
	marks []bool
}

func (t *text) changed(line int) bool { return t.marks[line+1] }

func (t *text) mark(line int, changed bool) { t.marks[line+1] = changed }

func (t *text) same(i, j int) bool { return bytes.Equal(t.keys[i], t.keys[j]) }

func (t *text) untouched() bool {
	for _, changed := range t.marks {
		if changed {
			return false
		}
	}
	return true
}

// markChanges marks the lines of both texts that are not in their common subsequence.
func markChanges(a, b *text, minimal bool) (capped bool) {
	start, aEnd, bEnd := trim(a.keys, b.keys)
	if start == aEnd || start == bEnd {
		for i := start; i < aEnd; i++ {
			a.mark(i, true)
		}
		for i := start; i < bEnd; i++ {
			b.mark(i, true)
		}
		return false
	}
	aIDs, bIDs, distinct := intern(a.keys, b.keys)
	aSeq, bSeq := prune(a, b, aIDs, bIDs, distinct, trimmed{start, aEnd, bEnd}, minimal)
	s := newSearch(a, b, aSeq, bSeq)
	s.compare(box{0, len(aSeq.ids), 0, len(bSeq.ids)}, minimal)
	return s.capped
}

// trim returns the end of the common beginning of a and b, and the start of their common end in each of them.
func trim(a, b [][]byte) (start, aEnd, bEnd int) {
	aEnd, bEnd = len(a), len(b)
	for start < aEnd && start < bEnd && bytes.Equal(a[start], b[start]) {
		start++
	}
	for aEnd > start && bEnd > start && bytes.Equal(a[aEnd-1], b[bEnd-1]) {
		aEnd--
		bEnd--
	}
	return start, aEnd, bEnd
}

// collect makes hunks from the marks of both texts.
func collect(a, b *text) []Hunk {
	var hunks []Hunk
	for i, j := 0, 0; i < len(a.keys) || j < len(b.keys); {
		if !a.changed(i) && !b.changed(j) {
			i++
			j++
			continue
		}
		h := Hunk{OldStart: i, NewStart: j}
		for a.changed(i) {
			i++
		}
		for b.changed(j) {
			j++
		}
		h.OldCount, h.NewCount = i-h.OldStart, j-h.NewStart
		hunks = append(hunks, h)
	}
	return hunks
}

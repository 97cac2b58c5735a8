package linediff

// sequence is the part of a text that is searched: the numbers of its lines, and their places in the text.
type sequence struct {
	ids  []int32
	line []int32
}

// trimmed is the part of both texts between their common beginning and their common end.
type trimmed struct {
	start, aEnd, bEnd int
}

// The kinds of lines by their frequency in the other text.
type frequency uint8

const (
	absent frequency = iota
	present
	common
)

const (
	pruneWindow   = 100  // number of lines that are checked on each side of a common line
	pruneShare    = 4    // a common line is left out if so many times as many absent lines are around it
	pruneMaxLimit = 1024 // a line with this frequency is common in a text of any size
)

// prune marks lines that the search does not need, and returns the rest. A line that is missing in the other text
// cannot be kept. A line that is very common in the other text (a brace, a blank line) is not worth keeping between two
// missing lines: the match would connect two unrelated places. The rule is git's.
func prune(a, b *text, aIDs, bIDs []int32, distinct int, part trimmed, minimal bool) (sequence, sequence) {
	aCounts, bCounts := count(aIDs, distinct), count(bIDs, distinct)
	aSeq := pruneSide(a, aIDs[part.start:part.aEnd], bCounts, part.start, minimal)
	bSeq := pruneSide(b, bIDs[part.start:part.bEnd], aCounts, part.start, minimal)
	return aSeq, bSeq
}

func count(ids []int32, distinct int) []int32 {
	counts := make([]int32, distinct)
	for _, id := range ids {
		counts[id]++
	}
	return counts
}

func pruneSide(t *text, ids []int32, otherCounts []int32, start int, minimal bool) sequence {
	limit := min(roughRoot(len(t.keys)), pruneMaxLimit)
	class := make([]frequency, len(ids))
	for i, id := range ids {
		switch n := int(otherCounts[id]); {
		case n == 0:
			class[i] = absent
		case n >= limit && !minimal:
			class[i] = common
		default:
			class[i] = present
		}
	}
	seq := sequence{ids: make([]int32, 0, len(ids)), line: make([]int32, 0, len(ids))}
	for i, id := range ids {
		if class[i] == absent || class[i] == common && amongAbsent(class, i) {
			t.mark(start+i, true)
			continue
		}
		seq.ids = append(seq.ids, id)
		seq.line = append(seq.line, int32(start+i))
	}
	return seq
}

// amongAbsent reports whether the common line i is in a run of absent and common lines, with absent lines on both sides
// and enough of them.
func amongAbsent(class []frequency, i int) bool {
	absentBefore, commonBefore := runOf(class, i, -1)
	if absentBefore == 0 {
		return false
	}
	absentAfter, commonAfter := runOf(class, i, +1)
	if absentAfter == 0 {
		return false
	}
	// Line i itself is counted once in each direction.
	commons := commonBefore + commonAfter + 2
	return commons*pruneShare < commons+absentBefore+absentAfter
}

// runOf counts the absent and the common lines next to line i in one direction, up to the first line of another kind.
func runOf(class []frequency, i, step int) (absents, commons int) {
	for n, j := 0, i+step; n < pruneWindow && j >= 0 && j < len(class); n, j = n+1, j+step {
		switch class[j] {
		case absent:
			absents++
		case common:
			commons++
		default:
			return absents, commons
		}
	}
	return absents, commons
}

// roughRoot returns a power of two that is greater than the square root of n, and at most twice as large. Git uses it
// for limits.
func roughRoot(n int) int {
	root := 1
	for ; n > 0; n >>= 2 {
		root <<= 1
	}
	return root
}

package linediff

import (
	"bytes"
	"slices"
)

// Merge combines the changes of two texts with their common base. It is clean if the changes of the two sides do not
// overlap or touch, or if both changes are the same. This is the rule of git-merge-file(1).
func Merge(base, ours, theirs [][]byte) (merged [][]byte, clean bool) {
	left, right := Diff(base, ours, Options{}).Hunks, Diff(base, theirs, Options{}).Hunks
	at := 0
	take := func(h Hunk, side [][]byte) {
		merged = append(merged, base[at:h.OldStart]...)
		merged = append(merged, side[h.NewStart:h.NewStart+h.NewCount]...)
		at = h.OldStart + h.OldCount
	}
	for len(left) > 0 || len(right) > 0 {
		switch {
		case len(right) == 0 || len(left) > 0 && left[0].Old().End < right[0].OldStart:
			take(left[0], ours)
			left = left[1:]
		case len(left) == 0 || right[0].Old().End < left[0].OldStart:
			take(right[0], theirs)
			right = right[1:]
		case left[0].Old() == right[0].Old() && sameLines(ours, left[0], theirs, right[0]):
			take(left[0], ours)
			left, right = left[1:], right[1:]
		default:
			return nil, false
		}
	}
	return append(merged, base[at:]...), true
}

// sameLines reports whether two hunks insert the same lines.
func sameLines(a [][]byte, inA Hunk, b [][]byte, inB Hunk) bool {
	return slices.EqualFunc(a[inA.NewStart:inA.New().End], b[inB.NewStart:inB.New().End], bytes.Equal)
}

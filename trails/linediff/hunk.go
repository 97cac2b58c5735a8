package linediff

// Range holds the lines Start ≤ line < End of a text, counted from 0.
type Range struct {
	Start, End int
}

// Len returns the number of lines in the range.
func (r Range) Len() int { return r.End - r.Start }

// Hunk says that the old lines OldStart ≤ line < OldStart+OldCount were replaced by the new lines NewStart ≤ line <
// NewStart+NewCount. Lines count from 0. If a count is 0, its start is the line before which the other side's lines are
// inserted.
type Hunk struct {
	OldStart, OldCount int
	NewStart, NewCount int
}

// Old returns the range of replaced lines.
func (h Hunk) Old() Range { return Range{h.OldStart, h.OldStart + h.OldCount} }

// New returns the range of the lines that replace them.
func (h Hunk) New() Range { return Range{h.NewStart, h.NewStart + h.NewCount} }

// Numbers returns the hunk with the numbers of a unified diff: lines count from 1, and a side without lines has the
// number of the preceding line.
func (h Hunk) Numbers() (oldStart, oldCount, newStart, newCount int) {
	return number(h.OldStart, h.OldCount), h.OldCount, number(h.NewStart, h.NewCount), h.NewCount
}

func number(start, count int) int {
	if count == 0 {
		return start
	}
	return start + 1
}

package vector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// someChanges are those of a few files, between which blocks may have moved.
func someChanges(m *maker) []*Change {
	var before []Content
	var after [][][]byte
	for range 1 + m.IntN(2) {
		c := m.content(18)
		before, after = append(before, c), append(after, m.edit(c.Lines))
	}
	if n := len(after[0]); n > 0 { // a block goes, and one or two parts of it come, which may have lines in common
		from := m.IntN(n)
		to := from + 1 + m.IntN(n-from)
		block := slices.Clone(after[0][from:to])
		after[0] = slices.Delete(after[0], from, to)
		for range 1 + m.IntN(2) {
			low, to := m.IntN(len(block)), m.IntN(len(after))
			part := block[low : low+1+m.IntN(len(block)-low)]
			after[to] = slices.Insert(after[to], m.IntN(len(after[to])+1), part...)
		}
	}
	var out []*Change
	for i := range before {
		out = append(out, Compare(before[i], after[i]))
	}
	return out
}

// overlapping is the change of a file whose first lines went below the others, as parts that have lines in common.
func overlapping(m *maker) *Change {
	block := m.lines(14)
	var rest [][]byte
	for i := range 20 {
		rest = append(rest, fmt.Appendf(nil, "line %d of those that stay", i))
	}
	c := Compare(Content{Lines: slices.Concat(block, rest), Owners: m.owners(len(block) + len(rest))}, nil)
	new := rest
	for range 3 {
		low := m.IntN(len(block) + 1)
		new = slices.Concat(new, m.lines(1), block[low:low+m.IntN(len(block)-low+1)])
	}
	return Compare(c.old, new)
}

// codeLines have few letters or many, and come in rows again and again.
var codeLines = []string{
	"", "}", "x", "abc", "return e", "if e == nil {", "abcdefghij", "first words 1", "other words 22", "longest of the words",
}

// Rule 4.
func TestMovedBlocksAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 3000, codeLines, func(m *maker) string {
		m.pool = m.pool[m.IntN(4) : 5+m.IntN(6)] // few of them make blocks that are alike
		changes := someChanges(m)
		if m.IntN(2) == 0 {
			changes = []*Change{overlapping(m)}
		}
		want := movedByTheRule(changes)
		moveBlocks(changes)
		for f, c := range changes {
			for i := range c.parts {
				for k, o := range c.parts[i].origins {
					if o.why == Moved {
						at := [2]int{f, c.parts[i].NewStart + k}
						if from, found := want[at]; !found || changes[from[0]] != o.source || from[1] != o.line {
							return fmt.Sprintf("%v: from line %d, want %v", at, o.line, from)
						}
						delete(want, at)
					}
				}
			}
		}
		if len(want) > 0 {
			var all []string
			for _, c := range changes {
				all = append(all, shown(c.old.Lines)+" → "+shown(c.new))
			}
			return fmt.Sprintf("%s: not moved: %v", strings.Join(all, "; "), want)
		}
		return ""
	})
}

// movedByTheRule gives, for new lines by file and line, the old ones that moved there.
func movedByTheRule(changes []*Change) map[[2]int][2]int {
	left, free := map[[2]int]bool{}, map[[2]int]bool{}
	for f, c := range changes {
		for i := range c.parts {
			p := &c.parts[i]
			for k := range p.fates {
				left[[2]int{f, p.OldStart + k}] = p.fates[k] == gone
			}
			for k := range p.origins {
				free[[2]int{f, p.NewStart + k}] = p.origins[k].why == Written
			}
		}
	}
	same := func(from, to [2]int, k int) bool {
		from[1], to[1] = from[1]+k, to[1]+k
		return left[from] && free[to] && keyAt(changes[from[0]].old.Lines, from[1]) == keyAt(changes[to[0]].new, to[1])
	}
	type block struct {
		from, to [2]int
		lines    int
	}
	worth := func(b block) bool {
		said, alone := 0, false
		lines := changes[b.from[0]].old.Lines
		for k := range b.lines {
			said += letters([]byte(keyAt(lines, b.from[1]+k)))
			if k+2 < b.lines {
				before, after := 0, 0
				for _, c := range changes {
					for at := range max(len(c.old.Lines), len(c.new)) {
						before += asMany(lines, b.from[1]+k, c.old.Lines, at)
						after += asMany(lines, b.from[1]+k, c.new, at)
					}
				}
				alone = alone || before == 1 && after == 1
			}
		}
		enough := 20
		if b.from[0] != b.to[0] {
			enough = 40
		}
		return b.lines >= 3 && (said >= enough || said >= 4 && alone)
	}
	rather := func(a, b block) bool {
		aAway, bAway := a.from[0] != a.to[0], b.from[0] != b.to[0]
		far := func(b block) int { return max(b.from[1]-b.to[1], b.to[1]-b.from[1]) }
		switch {
		case a.lines != b.lines:
			return a.lines > b.lines
		case aAway != bAway:
			return bAway
		case !aAway && far(a) != far(b):
			return far(a) < far(b)
		case a.to != b.to:
			return slices.Compare(a.to[:], b.to[:]) < 0
		}
		return slices.Compare(a.from[:], b.from[:]) < 0
	}
	out := map[[2]int][2]int{}
	for {
		best := block{}
		for from := range left {
			for to := range free {
				if !same(from, to, 0) || same(from, to, -1) {
					continue
				}
				b := block{from, to, 1}
				for same(from, to, b.lines) {
					b.lines++
				}
				if worth(b) && (best.lines == 0 || rather(b, best)) {
					best = b
				}
			}
		}
		if best.lines == 0 {
			return out
		}
		for k := range best.lines {
			from, to := [2]int{best.from[0], best.from[1] + k}, [2]int{best.to[0], best.to[1] + k}
			out[to], left[from], free[to] = from, false, false
		}
	}
}

// asMany tells, by 1, whether the three lines at a place are those at another one.
func asMany(lines [][]byte, at int, others [][]byte, other int) int {
	if other+2 >= len(others) {
		return 0
	}
	for k := range 3 {
		if keyAt(lines, at+k) != keyAt(others, other+k) {
			return 0
		}
	}
	return 1
}

package backfill

import "github.com/git-trace/git-trace/trails/linediff"

// twoSides holds the removed and the added lines of a hunk.
type twoSides struct{ removed, added []print }

// source names a removed line by its hunk and its number in the hunk. A negative hunk means none.
type source struct{ hunk, line int }

// Bounds of moves, the same as in package trails.
const (
	blockLines = 3  // least number of lines that make a moved block
	maxPlaces  = 32 // number of places of one line that are compared
)

// `carried` finds the added lines that the change did not write, and returns the source of each. The result is parallel
// to the added lines. Such a line differs only in white space from a line that the same hunk removed. Or it is in a
// moved block, from the same file or another one. The function `says` reports whether an added line is distinctive. For
// example: a person moves an agent's function to another file. The commit did not write it.
func carried(hunks []twoSides, says func(hunk, line int) bool) [][]source {
	out := make([][]source, len(hunks))
	used := make([][]bool, len(hunks))
	removed := 0
	for i, h := range hunks {
		out[i], used[i] = make([]source, len(h.added)), make([]bool, len(h.removed))
		for k := range out[i] {
			out[i][k].hunk = -1
		}
		removed += len(h.removed)
		if len(h.removed) > 0 && len(h.added) > 0 {
			withinHunk(i, h, out[i], used[i])
		}
	}
	if removed < blockLines {
		return out
	}
	places := map[print][]source{}
	for i, h := range hunks {
		for k, p := range h.removed {
			if !used[i][k] && !p.Blank() && len(places[p]) < maxPlaces {
				places[p] = append(places[p], source{i, k})
			}
		}
	}
	for i, h := range hunks {
		for k := 0; k < len(h.added); k++ {
			if out[i][k].hunk >= 0 {
				continue
			}
			from, n := longest(hunks, out, used, places[h.added[k]], i, k)
			if n == 0 || !isBlock(h.added[k:k+n], func(line int) bool { return says(i, k+line) }) {
				continue
			}
			for j := range n {
				out[i][k+j] = source{from.hunk, from.line + j}
				used[from.hunk][from.line+j] = true
			}
			k += n - 1
		}
	}
	return out
}

// withinHunk finds lines of a hunk that differ from the replaced ones only by white space.
func withinHunk(i int, h twoSides, out []source, used []bool) {
	old, now := 0, 0
	keep := func(n int) {
		for range n {
			if !h.added[now].Blank() {
				out[now], used[old] = source{i, old}, true
			}
			old, now = old+1, now+1
		}
	}
	for _, part := range linediff.Diff(printBytes(h.removed), printBytes(h.added), linediff.Options{}).Hunks {
		keep(part.OldStart - old)
		old, now = part.OldStart+part.OldCount, part.NewStart+part.NewCount
	}
	keep(len(h.removed) - old)
}

func printBytes(list []print) [][]byte {
	out := make([][]byte, len(list))
	for i := range list {
		out[i] = list[i][:]
	}
	return out
}

// `longest` returns the place from which the largest number of consecutive lines equal the lines of a hunk, beginning
// with a given line.
func longest(hunks []twoSides, out [][]source, used [][]bool, places []source, i, k int) (best source, most int) {
	for _, s := range places {
		gone := hunks[s.hunk].removed
		n := 0
		for k+n < len(hunks[i].added) && s.line+n < len(gone) && hunks[i].added[k+n] == gone[s.line+n] &&
			!used[s.hunk][s.line+n] && out[i][k+n].hunk < 0 {
			n++
		}
		if n > most {
			best, most = s, n
		}
	}
	return best, most
}

// isBlock reports whether lines that were removed elsewhere make a moved block.
func isBlock(lines []print, says func(line int) bool) bool {
	n, said := 0, false
	for i, p := range lines {
		if !p.Blank() {
			n++
			said = said || says(i)
		}
	}
	return n >= blockLines && said
}

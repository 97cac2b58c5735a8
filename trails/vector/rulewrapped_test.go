package vector

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Rule 3. What is left between matched lines is compared as two streams.
func TestWrappedLinesAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 8000, []string{"", "}", "a", "ab", "abc", "abab", "abcd", "(ab", "cd)"}, func(m *maker) string {
		before, old := m.lines(2), m.content(6)
		new := rewrap(m, old.Lines)
		above := m.lines(2)
		h := linediff.Hunk{
			OldStart: m.IntN(3), OldCount: len(above) + len(old.Lines), NewStart: m.IntN(3), NewCount: len(before) + len(new),
		}
		c := &Change{}
		c.old.Lines = slices.Concat(make([][]byte, h.OldStart), above, old.Lines)
		var b Builder
		b.Add(Owner{Kind: events.OwnerMixed}, h.OldStart+len(above))
		b.AddSlice(old.Owners, 0, len(old.Lines))
		c.old.Owners = b.Vector()
		p := c.newPart(h)
		gap := link{
			linediff.Range{Start: len(above), End: h.OldCount}, linediff.Range{Start: len(before), End: h.NewCount},
		}
		c.matchWrapped(&p, slices.Concat(above, old.Lines), slices.Concat(before, new), gap)

		from, lives := wrappedByTheRule(old, new)
		for i, o := range p.origins {
			want := origin{}
			if at := i - len(before); at >= 0 && from[at] >= 0 {
				want = origin{Space, c, h.OldStart + len(above) + from[at]}
			}
			if o != want {
				return fmt.Sprintf("%s %s → %s: line %d is from %d, want %d (with %d above)", shown(old.Lines), old.Owners, shown(new),
					i-len(before), o.line, want.line, h.OldStart+len(above))
			}
		}
		for i, fate := range p.fates {
			if at := i - len(above); (fate == kept) != (at >= 0 && lives[at]) {
				return fmt.Sprintf("%s → %s: old line %d lives on: %v", shown(old.Lines), shown(new), at, fate == kept)
			}
		}
		return ""
	})
}

// rewrap puts line ends elsewhere and changes little else.
func rewrap(m *maker, lines [][]byte) [][]byte {
	var out [][]byte
	for _, l := range lines {
		switch m.IntN(6) {
		case 0:
			out = append(out, []byte(m.pool[m.IntN(len(m.pool))]))
		case 1, 2:
			cut := m.IntN(len(l) + 1)
			out = append(out, slices.Clone(l[:cut]), slices.Clone(l[cut:]))
		case 3, 4:
			if last := len(out) - 1; last >= 0 {
				out[last] = slices.Concat(out[last], l)
				continue
			}
			fallthrough
		default:
			out = append(out, slices.Clone(l))
		}
	}
	return out
}

// wrappedByTheRule gives the old line of each new one, or -1, and the old lines that are in new ones in full.
func wrappedByTheRule(old Content, new [][]byte) (from []int, lives []bool) {
	from, lives = slices.Repeat([]int{-1}, len(new)), make([]bool, len(old.Lines))
	a, b := string(bytes.Join(old.Lines, nil)), string(bytes.Join(new, nil))
	if a == "" || b == "" {
		return from, lives
	}
	begins := func(lines [][]byte, i int) int { return len(bytes.Join(lines[:i], nil)) }
	border := func(at int) bool { return isBorder(old.Lines, at) }
	top, bottom := 0, 0
	for top < len(b) && strings.HasPrefix(a, b[:top+1]) {
		top++
	}
	for bottom < min(len(a), len(b))-top && strings.HasSuffix(a, b[len(b)-bottom-1:]) {
		bottom++
	}
	shift := len(a) - len(b)
	oldLow, newLow, oldHigh, newHigh := 0, 0, len(old.Lines), len(new)
	take := func(oldFrom, oldTo, newFrom, newTo, offset int) {
		if newFrom == newTo {
			return
		}
		for i := oldFrom; i < oldTo; i++ {
			lives[i] = true
		}
		for j := newFrom; j < newTo; j++ {
			from[j] = mostOf(old, new, oldFrom, oldTo, newFrom, j, offset)
		}
	}
	if a == b || letters([]byte(a[:top]+a[len(a)-bottom:])) >= trivial {
		for newLow < len(new) && (begins(new, newLow+1) < top || begins(new, newLow+1) == top && border(top)) {
			newLow++
		}
		for oldLow < len(old.Lines) && begins(old.Lines, oldLow+1) <= begins(new, newLow) {
			oldLow++
		}
		for from := len(b) - bottom; newHigh > newLow && (begins(new, newHigh-1) > from ||
			begins(new, newHigh-1) == from && border(from+shift)); {
			newHigh--
		}
		for oldHigh > oldLow && begins(old.Lines, oldHigh-1) >= begins(new, newHigh)+shift {
			oldHigh--
		}
	}
	take(0, oldLow, 0, newLow, 0)
	i, j, end := oldLow, newLow, oldHigh
	if i < len(old.Lines) && begins(old.Lines, i) < begins(new, newLow) {
		i++ // a part of it is in the beginning
	}
	if begins(old.Lines, end) > begins(new, newHigh)+shift {
		end-- // and of this one in the end
	}
	for ; j < newHigh; j++ {
		for k := i; k < end; k++ {
			x, y := sameText(old.Lines[k:end], new[j:newHigh])
			if letters(bytes.Join(new[j:j+y], nil)) >= trivial {
				take(k, k+x, j, j+y, begins(old.Lines, k)-begins(new, j))
				i, j = k+x, j+y-1
				break
			}
		}
	}
	take(oldHigh, len(old.Lines), newHigh, len(new), shift)
	return from, lives
}

func isBorder(lines [][]byte, at int) bool {
	for i := range len(lines) + 1 {
		if len(bytes.Join(lines[:i], nil)) == at {
			return true
		}
	}
	return false
}

// sameText is how many lines of both, from the first ones on, are the same text: as many as can be.
func sameText(old, new [][]byte) (x, y int) {
	if len(old) == 0 || len(old[0]) == 0 || len(new[0]) == 0 {
		return 0, 0
	}
	for i := range old {
		for j := range new {
			if len(old[i]) > 0 && len(new[j]) > 0 && bytes.Equal(bytes.Join(old[:i+1], nil), bytes.Join(new[:j+1], nil)) {
				x, y = i+1, j+1
			}
		}
	}
	for x > 0 && x < len(old) && y < len(new) && len(old[x]) == 0 && len(new[y]) == 0 {
		x, y = x+1, y+1
	}
	return x, y
}

// mostOf is the old line that a new line of a run takes its owner from.
func mostOf(old Content, new [][]byte, oldFrom, oldTo, newFrom, j, offset int) int {
	var at []int // the old line of each character
	for i, l := range old.Lines {
		at = append(at, slices.Repeat([]int{i}, len(l))...)
	}
	start := len(bytes.Join(new[:j], nil)) + offset
	if len(new[j]) == 0 {
		k := 0
		for ; j-k > newFrom && len(new[j-k-1]) == 0; k++ {
		}
		for i := oldFrom; i < oldTo; i++ {
			if len(old.Lines[i]) == 0 && len(bytes.Join(old.Lines[:i], nil)) == start {
				if k == 0 {
					return i
				}
				k--
			}
		}
		return -1
	}
	count, best, most := map[Owner]int{}, -1, 0
	for _, i := range at[start : start+len(new[j])] {
		count[old.Owners.At(i)]++
	}
	for _, i := range at[start : start+len(new[j])] {
		if n := count[old.Owners.At(i)]; n > most {
			best, most = i, n
		}
	}
	return best
}

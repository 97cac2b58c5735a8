package vector

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// The rules of testdata/vectors/ownership/README.md once more, as slowly as they can be written down. Random texts tell
// whether both say the same.

// maker makes texts of a few lines that come again and again.
type maker struct {
	*rand.Rand
	pool []string
}

// rounds calls a test with makers that differ.
func rounds(t *testing.T, n uint64, pool []string, test func(m *maker) string) {
	t.Helper()
	for seed := range n {
		if wrong := test(&maker{rand.New(rand.NewPCG(seed, 11)), pool}); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
	}
}

func (m *maker) lines(most int) [][]byte {
	var out [][]byte
	for range m.IntN(most + 1) {
		out = append(out, []byte(m.pool[m.IntN(len(m.pool))]))
	}
	return out
}

// edit changes a text at some places: lines go, come, are moved, are indented.
func (m *maker) edit(lines [][]byte) [][]byte {
	out := slices.Clone(lines)
	for range 1 + m.IntN(4) {
		from := m.IntN(len(out) + 1)
		to := from + m.IntN(min(6, len(out)-from)+1)
		block := slices.Clone(out[from:to])
		switch m.IntN(5) {
		case 0:
			out = slices.Delete(out, from, to)
		case 1:
			out = slices.Insert(out, from, m.lines(4)...)
		case 2:
			out = slices.Delete(out, from, to)
			out = slices.Insert(out, m.IntN(len(out)+1), block...)
		case 3:
			for i := range block {
				out[from+i] = append([]byte("\t"), block[i]...)
			}
		case 4:
			out = slices.Replace(out, from, to, m.lines(6)...)
		}
	}
	return out
}

func (m *maker) owners(n int) Vector {
	var b Builder
	for b.Len() < n {
		owner := Owner{Kind: []events.OwnerKind{events.OwnerAI, events.OwnerHuman, events.OwnerUnknown}[m.IntN(3)]}
		if owner.Kind != events.OwnerUnknown {
			owner.Patch = events.PatchID(fmt.Sprint("p", m.IntN(3)))
		}
		if owner.Kind == events.OwnerHuman && m.IntN(2) == 0 {
			owner.Previous = "p9"
		}
		b.Add(owner, 1+m.IntN(min(3, n-b.Len())))
	}
	return b.Vector()
}

func (m *maker) content(most int) Content {
	lines := m.lines(most)
	return Content{Lines: lines, Owners: m.owners(len(lines))}
}

func shown(lines [][]byte) string { return fmt.Sprintf("%q", lines) }

func keyAt(lines [][]byte, i int) string {
	if i < 0 || i >= len(lines) {
		return "\x00"
	}
	return string(linediff.StripSpace(lines[i]))
}

// Rule 1. A hunk that only deletes stands where most of its ends lie between two owners, the nearest of equals.
func TestWhereADeletionStands(t *testing.T) {
	t.Parallel()
	rounds(t, 3000, []string{"a", "b"}, func(m *maker) string {
		old := m.content(9)
		var hunks []linediff.Hunk
		for at, cut := 0, 0; at < len(old.Lines); {
			h := linediff.Hunk{OldStart: at + m.IntN(3), OldCount: m.IntN(3), NewCount: m.IntN(2)}
			h.NewStart = h.OldStart - cut
			if h.Old().End > len(old.Lines) || h.OldCount+h.NewCount == 0 {
				break
			}
			hunks = append(hunks, h)
			at, cut = h.Old().End+1, cut+h.OldCount-h.NewCount
		}
		got := alignDeletions(old, slices.Clone(hunks))
		for i, h := range hunks {
			want := h
			if h.NewCount == 0 && len(old.Owners.Runs()) > 1 {
				low, high := 0, len(old.Lines)
				if i > 0 {
					low = got[i-1].Old().End + 1
				}
				if i+1 < len(hunks) {
					high = hunks[i+1].OldStart - 1
				}
				want.OldStart = standing(old, h, low, high)
				want.NewStart += want.OldStart - h.OldStart
			}
			if got[i] != want {
				return fmt.Sprintf("%s %s: %v stands at %v, want %v", shown(old.Lines), old.Owners, h, got[i], want)
			}
		}
		return ""
	})
}

// standing is the best of the places that give the same text.
func standing(old Content, h linediff.Hunk, low, high int) int {
	without := func(at int) string {
		return shown(append(slices.Clone(old.Lines[:at]), old.Lines[at+h.OldCount:]...))
	}
	worth := func(at int) (n int) {
		for _, line := range []int{at, at + h.OldCount} {
			if line == 0 || line == len(old.Lines) || old.Owners.At(line-1) != old.Owners.At(line) {
				n++
			}
		}
		return n
	}
	best := h.OldStart
	for distance := range len(old.Lines) {
		for _, at := range []int{h.OldStart - distance, h.OldStart + distance} {
			if at >= low && at+h.OldCount <= high && without(at) == without(h.OldStart) && worth(at) > worth(best) {
				best = at
			}
		}
	}
	return best
}

// Rule 2. Lines with a word in them are compared first. The others pair in the gaps between them (see pairTrivial).
func TestLinesWithOtherWhiteSpaceAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 6000, []string{"", "}", "abc", "abc ;", "abcd", " abcd", "ab cd", "abcd1", "a1b2", "end of it"}, func(m *maker) string {
		old := m.lines(8)
		new := m.edit(old)
		words := func(lines [][]byte) (at []int, texts [][]byte) {
			for i, l := range lines {
				if letters(linediff.StripSpace(l)) >= 4 {
					at, texts = append(at, i), append(texts, l)
				}
			}
			return at, texts
		}
		oldAt, oldWords := words(old)
		newAt, newWords := words(new)
		want := map[[2]int]bool{}
		i, j := 0, 0
		gap := func(toOld, toNew int) {
			pairTrivial(linediff.StripLines(old[i:toOld]), linediff.StripLines(new[j:toNew]), func(a, b int) { want[[2]int{i + a, j + b}] = true })
			i, j = toOld+1, toNew+1
		}
		for word, from := range linediff.Lineage(oldWords, newWords) {
			if from >= 0 {
				want[[2]int{oldAt[from], newAt[word]}] = true
				gap(oldAt[from], newAt[word])
			}
		}
		gap(len(old), len(new))
		got, last := map[[2]int]bool{}, link{linediff.Range{Start: -1, End: -1}, linediff.Range{Start: -1, End: -1}}
		for _, run := range equalRuns(old, new, linediff.StripLines(old), linediff.StripLines(new)) {
			if run.old.Len() != run.new.Len() || run.old.Start < last.old.End || run.old.Start == last.old.End && run.new.Start == last.new.End {
				return fmt.Sprintf("%s → %s: a run %v behind %v", shown(old), shown(new), run, last)
			}
			for k := range run.old.Len() {
				got[[2]int{run.old.Start + k, run.new.Start + k}] = true
			}
			last = run
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%s → %s: %v, want %v", shown(old), shown(new), got, want)
		}
		return ""
	})
}

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

// Rule 5.
func TestReorderedLinesAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	pool := []string{
		"", "}", "import b", "import a", `"fmt"`, "\tb", "\ta", "\tc", "d", "e", "f", "elevenchars", "twelve_chars1", "fourteen_chars_2",
		"fifteen_chars_of3", "  indented b", "  indented a",
	}
	rounds(t, 6000, pool, func(m *maker) string {
		c := Compare(m.content(9), nil)
		c = Compare(c.old, m.edit(c.old.Lines))
		want := orderedByTheRule(c)
		c.reorder()
		got := map[int]int{}
		for i := range c.parts {
			for k, o := range c.parts[i].origins {
				if o.why == Moved {
					got[c.parts[i].NewStart+k] = o.line
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%s → %s: moved %v, want %v", shown(c.old.Lines), shown(c.new), got, want)
		}
		for _, from := range want {
			for i := range c.parts {
				if at := from - c.parts[i].OldStart; at >= 0 && at < len(c.parts[i].fates) && c.parts[i].fates[at] != movedAway {
					return fmt.Sprintf("%s → %s: old line %d is gone", shown(c.old.Lines), shown(c.new), from)
				}
			}
		}
		return ""
	})
}

func orderedByTheRule(c *Change) map[int]int {
	places := func(lines [][]byte, key string) (at []int) {
		for i := range lines {
			if keyAt(lines, i) == key {
				at = append(at, i)
			}
		}
		return at
	}
	alone := func(key string) (old, new int, is bool) {
		a, b := places(c.old.Lines, key), places(c.new, key)
		if len(a) != 1 || len(b) != 1 || letters([]byte(key)) == 0 {
			return 0, 0, false
		}
		return a[0], b[0], true
	}
	fates := map[int]fate{}
	for i := range c.parts {
		for k, f := range c.parts[i].fates {
			fates[c.parts[i].OldStart+k] = f + 1 // so that one that is not there differs
		}
	}
	out := map[int]int{}
	for i := range c.parts {
		for k, o := range c.parts[i].origins {
			at := c.parts[i].NewStart + k
			key := keyAt(c.new, at)
			from, _, found := alone(key)
			if o.why != Written || !found || fates[from] != gone+1 {
				continue
			}
			isImport := strings.HasPrefix(strings.TrimSpace(string(c.new[at])), "import ") || key == `"fmt"`
			if isImport || sortedAround(c, at) || letters([]byte(key)) >= 12 && inPlaceByTheRule(c, from, at, alone) {
				out[at] = from
			}
		}
	}
	return out
}

// sortedAround tells whether a line is one of three or more of its indentation that are sorted, two of them old.
func sortedAround(c *Change, at int) bool {
	indent := func(i int) string {
		if i < 0 || i >= len(c.new) || letters(c.new[i]) == 0 {
			return "none"
		}
		return string(c.new[i][:len(c.new[i])-len(bytes.TrimLeft(c.new[i], " \t"))])
	}
	low, high := at, at+1
	for indent(low-1) == indent(at) {
		low--
	}
	for indent(high) == indent(at) {
		high++
	}
	var words []string
	old := 0
	for i := low; i < high; i++ {
		words = append(words, strings.TrimSpace(string(c.new[i])))
		if slices.ContainsFunc(c.old.Lines, func(l []byte) bool { return string(linediff.StripSpace(l)) == keyAt(c.new, i) }) {
			old++
		}
	}
	return len(words) >= 3 && old >= 2 && slices.IsSorted(words)
}

// inPlaceByTheRule tells whether all lines that stand alone in both texts are on the same side of a line in both.
func inPlaceByTheRule(c *Change, from, at int, alone func(string) (int, int, bool)) bool {
	for i := range c.new {
		if old, new, is := alone(keyAt(c.new, i)); is && (old < from) != (new < at) {
			return false
		}
	}
	return true
}

// Rule 6.
func TestATextOfWhichNothingIsLeftIsNew(t *testing.T) {
	t.Parallel()
	rounds(t, 4000, []string{"", "}", "x", "y", "alpha", "beta"}, func(m *maker) string {
		old := m.content(6)
		new := m.lines(6)
		c := &Change{old: old, new: new}
		keptLines := map[int]bool{}
		for i := range old.Lines {
			keptLines[i] = true
		}
		for rest := alignDeletions(old, linediff.Diff(old.Lines, new, linediff.Options{}).Hunks); len(rest) > 0; {
			parts, taken := c.matchRegion(rest)
			c.parts, rest = append(c.parts, parts...), rest[taken:]
		}
		for i := range c.parts {
			for k, f := range c.parts[i].fates {
				keptLines[c.parts[i].OldStart+k] = f == kept
			}
		}
		had, left := 0, 0
		for i, line := range old.Lines {
			if letters(line) > 0 {
				had++
				if keptLines[i] {
					left++
				}
			}
		}
		if want := len(new) > 0 && had >= 3 && left == 0; c.isNewText() != want {
			return fmt.Sprintf("%s → %s: a new text: %v", shown(old.Lines), shown(new), !want)
		}
		return ""
	})
}

// Rule 7, and what a change tells of its lines.
func TestWhatReplacedWhatIsThatOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 3000, codeLines, func(m *maker) string {
		changes := someChanges(m)
		Moves(changes...)
		for _, c := range changes {
			authors := m.owners(len(c.new))
			got := c.Resolve(func(_, line int) Owner { return authors.At(line) })
			if wrong := checkResult(c, authors, got); wrong != "" {
				return shown(c.old.Lines) + " → " + shown(c.new) + ": " + wrong
			}
		}
		return ""
	})
}

func checkResult(c *Change, authors Vector, got Result) string {
	var b Builder
	at := 0
	for i := range c.parts {
		p := &c.parts[i]
		b.AddSlice(c.old.Owners, at, p.OldStart)
		at = p.Old().End
		instead := insteadByTheRule(p)
		h := Hunk{Hunk: p.Hunk}
		for k, o := range p.origins {
			line := p.NewStart + k
			one := linediff.Range{Start: line, End: line + 1}
			if o.why != Written {
				owner := o.source.old.Owners.At(o.line)
				b.Add(owner, 1)
				run := Kept{one, owner, o.why, o.source}
				if last := len(h.Kept) - 1; last >= 0 && h.Kept[last].End == line {
					run.Start = h.Kept[last].Start
					if longer := h.Kept[last]; longer.Owner == owner && longer.Why == o.why && longer.From == o.source {
						h.Kept = h.Kept[:last]
					} else {
						run.Start = line
					}
				}
				h.Kept = append(h.Kept, run)
				continue
			}
			owner := authors.At(line)
			if old, found := instead[k]; found && owner.Previous == "" {
				was := c.old.Owners.At(p.OldStart + old)
				switch {
				case was.Kind == events.OwnerAI:
					owner.Previous = was.Patch
				case owner.Kind != events.OwnerAI:
					owner.Previous = was.Previous
				}
			}
			b.Add(owner, 1)
			if last := len(h.Written) - 1; last >= 0 && h.Written[last].End == line {
				one.Start = h.Written[last].Start
				h.Written = h.Written[:last]
			}
			h.Written = append(h.Written, one)
		}
		for k, f := range p.fates {
			if patch := c.old.Owners.At(p.OldStart + k).Patch; f == gone && patch != "" && !slices.Contains(h.Replaced, patch) {
				h.Replaced = append(h.Replaced, patch)
			}
		}
		if fmt.Sprint(got.Hunks[i]) != fmt.Sprint(h) {
			return fmt.Sprintf("hunk %v, want %v", got.Hunks[i], h)
		}
	}
	b.AddSlice(c.old.Owners, at, len(c.old.Lines))
	if want := b.Vector(); !got.Vector.Equal(want) {
		return fmt.Sprintf("owners %s, want %s", got.Vector, want)
	}
	return ""
}

// insteadByTheRule gives, for written lines, the old lines that they replaced.
func insteadByTheRule(p *part) map[int]int {
	out := map[int]int{}
	end := link{linediff.Range{Start: p.OldCount, End: p.OldCount}, linediff.Range{Start: p.NewCount, End: p.NewCount}}
	last := link{}
	for _, next := range append(slices.Clone(p.links), end) {
		var left []int
		for i := last.old.End; i < next.old.Start; i++ {
			if p.fates[i] == gone {
				left = append(left, i)
			}
		}
		for i := last.new.End; i < next.new.Start; i++ {
			if p.origins[i].why == Written && len(left) > 0 {
				out[i], left = left[0], left[1:]
			}
		}
		last = next
	}
	return out
}

// Which source a line of a content is from.
func TestOriginsAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	pool := append([]string{"=======", "<<<<<<< HEAD", ">>>>>>> other", "||||||| base", "twelve_chars1"}, codeLines...)
	rounds(t, 4000, pool, func(m *maker) string {
		lines := m.lines(10)
		var sources []Content
		for range m.IntN(4) {
			s := Content{Lines: m.edit(lines), Far: m.IntN(2) == 0}
			s.Owners = m.owners(len(s.Lines))
			s.Faint = s.Far && m.IntN(2) == 0
			sources = append(sources, s)
		}
		told := make([]bool, len(lines))
		var all [][]match
		for _, s := range sources {
			matches := matchLines(s, lines)
			if s.Far {
				without := make([]bool, len(lines))
				if s.Faint {
					without = told
				}
				matches = togetherByTheRule(lines, matches, without)
			}
			for i, one := range matches {
				told[i] = told[i] || one.why != Written
			}
			all = append(all, matches)
		}
		var got []Origin
		for _, run := range Origins(lines, sources) {
			for k := range run.Count {
				got = append(got, Origin{Start: run.Start + k, Count: 1, Source: run.Source, Why: run.Why, Owner: run.Owner})
			}
		}
		for i := range lines {
			want := Origin{Start: i, Count: 1, Source: -1, Owner: Unknown}
			for _, why := range []Why{Moved, Space, Equal} {
				for s := len(sources) - 1; s >= 0; s-- {
					if one := all[s][i]; one.why == why {
						want = Origin{Start: i, Count: 1, Source: s, Why: why, Owner: sources[s].Owners.At(one.line)}
					}
				}
			}
			if len(got) != len(lines) || got[i] != want {
				return fmt.Sprintf("%s: line %d: %v, want %v", shown(lines), i, got, want)
			}
		}
		return ""
	})
}

// togetherByTheRule leaves out the lines of rows that say nothing together.
func togetherByTheRule(lines [][]byte, matches []match, told []bool) []match {
	out := slices.Clone(matches)
	var row []int
	drop := func() {
		said := 0
		for _, i := range row {
			if !told[i] {
				said += letters(lines[i])
			}
		}
		for _, i := range row {
			if said < 12 {
				out[i] = match{}
			}
		}
		row = nil
	}
	for i, one := range matches {
		if one.why == Written {
			continue
		}
		if len(row) > 0 {
			last := row[len(row)-1]
			conflict := slices.ContainsFunc(lines[last+1:i], ConflictMarker)
			if one.line != matches[last].line+1 || i > last+1 && !conflict {
				drop()
			}
		}
		row = append(row, i)
	}
	drop()
	return out
}

func TestWhatCountsAsALetter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "09": 2, "/:": 0, "az": 2, "`{": 0, "AZ": 2, "@[": 0, "é": 1, "\xbf": 0, "\xc0\xff": 2, "a1 = B;": 3,
	} {
		if got := letters([]byte(text)); got != want {
			t.Errorf("%q has %d, want %d", text, got, want)
		}
	}
}

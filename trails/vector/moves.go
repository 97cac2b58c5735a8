package vector

import (
	"cmp"
	"math"
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
)

// The limits for moved blocks.
const (
	minMoved = 3 // least number of lines in a moved block, including blank ones
	// A block with this many letters and digits is enough evidence. git-blame(1) uses the same numbers for -M and -C. A
	// shorter block may be a common phrase: it needs three consecutive lines that no text has twice.
	distinct     = 20
	distinctAway = 40 // for a block that moved to another file
	// maxRepeats limits how often the deleted lines may contain the same three lines. Three lines with more repeats are
	// not used to find a block.
	maxRepeats = 64
)

// Moves finds blocks that the changes moved, within one file or between files, so that Resolve lets them keep their
// owners. Call it once with all changes of an interval or a commit. If blocks are equally good, the order of the
// changes decides, so the order should be fixed.
//
// A block is a run of three or more deleted lines, with at least one word, that equals a run of inserted lines except
// for white space. Each line is used at most once. The longest block wins, then one in the same file, then the nearest
// one. After the blocks, Moves finds lines whose order alone changed: see reorder. For example: a person moves an
// agent's function of ten lines to another file, and it stays the agent's.
func Moves(changes ...*Change) {
	moveBlocks(changes)
	for _, c := range changes {
		c.reorder()
	}
}

// Giving marks all new lines of the change as decided. Moves then searches its removed lines in other changes, but does
// not search for lines in it.
func (c *Change) Giving() *Change {
	for i := range c.parts {
		for line, from := range c.parts[i].origins {
			if from.why == Written {
				c.parts[i].origins[line].why = Equal
			}
		}
	}
	return c
}

// Taking marks all removed lines of the change as decided, so that Moves does not search them.
func (c *Change) Taking() *Change {
	for i := range c.parts {
		for line, f := range c.parts[i].fates {
			if f == gone {
				c.parts[i].fates[line] = kept
			}
		}
	}
	return c
}

// Gave reports whether Moves found removed lines of the change elsewhere.
func (c *Change) Gave() bool {
	return slices.ContainsFunc(c.parts, func(p part) bool { return slices.Contains(p.fates, movedAway) })
}

func moveBlocks(changes []*Change) {
	f := newFinder(changes)
	if len(f.deleted) == 0 || len(f.inserted) == 0 {
		return
	}
	found := f.blocks()
	slices.SortFunc(found, f.order)
	for len(found) > 0 {
		b := found[0]
		free := f.free(b)
		if found = found[1:]; len(free) == 1 && free[0] == b {
			f.take(b)
			continue
		}
		for _, rest := range free {
			at, _ := slices.BinarySearchFunc(found, rest, f.order)
			found = slices.Insert(found, at, rest)
		}
	}
}

// `order` orders blocks. The longest block comes first, then a block that stayed in its file, then the block that moved
// the fewest lines. If these are equal, the first block in the new texts comes first, then the first in the old texts.
func (f *finder) order(a, b block) int {
	return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(f.distance(a), f.distance(b)), cmp.Compare(a.n, b.n),
		cmp.Compare(a.d, b.d))
}

// distance returns by how many lines a block moved; more than any number of lines if it moved to another file.
func (f *finder) distance(b block) int {
	from, to := f.deleted[b.d], f.inserted[b.n]
	if from.change != to.change {
		return math.MaxInt
	}
	lines := from.change.parts[from.part].OldStart + from.line - to.change.parts[to.part].NewStart - to.line
	return max(lines, -lines)
}

// place is a deleted or inserted line of a change. A place without a change separates lines that are not consecutive.
type place struct {
	change *Change
	part   int
	line   int // number within the hunk
	key    int // the same for lines that are equal except for white space; negative if no other line is equal
	taken  bool
}

// finder holds the deleted and the inserted lines of some changes, both in order, with a separator at both ends.
type finder struct {
	deleted, inserted []place
	keys              map[string]int
	letters           []int // number of letters and digits, by key
	changes           []*Change
	phrases           phrases
}

// separator separates lines that are not consecutive.
var separator = place{key: -1}

func newFinder(changes []*Change) *finder {
	f := &finder{changes: changes, deleted: []place{separator}, inserted: []place{separator}, keys: map[string]int{}}
	for _, c := range changes {
		for i := range c.parts {
			p := &c.parts[i]
			for line, fate := range p.fates {
				if fate != gone {
					f.deleted = append(f.deleted, separator)
					continue
				}
				text := linediff.StripSpace(c.old.Lines[p.OldStart+line])
				key, seen := f.keys[string(text)]
				if !seen {
					key = len(f.keys)
					f.keys[string(text)] = key
					f.letters = append(f.letters, letters(text))
				}
				f.deleted = append(f.deleted, place{change: c, part: i, line: line, key: key})
			}
			f.deleted = append(f.deleted, separator)
		}
	}
	if len(f.keys) == 0 {
		return f
	}
	for _, c := range changes {
		for i := range c.parts {
			p := &c.parts[i]
			for line, from := range p.origins {
				key, seen := f.keys[string(linediff.StripSpace(c.new[p.NewStart+line]))]
				if from.why != Written || !seen {
					f.inserted = append(f.inserted, separator)
					continue
				}
				f.inserted = append(f.inserted, place{change: c, part: i, line: line, key: key})
			}
			f.inserted = append(f.inserted, separator)
		}
	}
	return f
}

// block is a run of equal lines: it starts at deleted[d] and at inserted[n].
type block struct {
	d, n, lines int
}

// three holds the keys of three consecutive lines.
type three [3]int

func threeAt(places []place, i int) (three, bool) {
	if i+2 >= len(places) {
		return three{}, false
	}
	t := three{places[i].key, places[i+1].key, places[i+2].key}
	return t, t[0] >= 0 && t[1] >= 0 && t[2] >= 0
}

// blocks finds the longest blocks. It starts from three equal consecutive lines; at least one of them must have a
// letter or digit.
func (f *finder) blocks() (found []block) {
	index := map[three][]int{}
	for d := range f.deleted {
		if t, ok := threeAt(f.deleted, d); ok && f.letters[t[0]]+f.letters[t[1]]+f.letters[t[2]] > 0 {
			index[t] = append(index[t], d)
		}
	}
	// Blocks on one diagonal d-n do not overlap: `reached` holds the end of the last block on a diagonal.
	reached := map[int]int{}
	for n := range f.inserted {
		t, ok := threeAt(f.inserted, n)
		if !ok || len(index[t]) > maxRepeats {
			continue
		}
		for _, d := range index[t] {
			if reached[d-n] > n {
				continue
			}
			b := f.extend(d, n)
			reached[d-n] = b.n + b.lines
			if f.counts(b) {
				found = append(found, b)
			}
		}
	}
	return found
}

// extend extends a block from a pair of equal lines in both directions.
func (f *finder) extend(d, n int) block {
	same := func(d, n int) bool {
		return f.deleted[d].key >= 0 && f.deleted[d].key == f.inserted[n].key
	}
	for same(d-1, n-1) {
		d--
		n--
	}
	lines := 1
	for same(d+lines, n+lines) {
		lines++
	}
	return block{d, n, lines}
}

// `counts` reports whether a block is long enough to be evidence of a move.
func (f *finder) counts(b block) bool {
	if b.lines < minMoved {
		return false
	}
	total := 0
	for _, place := range f.deleted[b.d : b.d+b.lines] {
		total += f.letters[place.key]
	}
	enough := distinct
	if f.deleted[b.d].change != f.inserted[b.n].change {
		enough = distinctAway
	}
	return total >= enough || total >= trivial && f.unique(b)
}

// `free` cuts a block into the parts that no other block has used.
func (f *finder) free(b block) []block {
	var parts []block
	part := block{d: b.d, n: b.n}
	for i := range b.lines + 1 {
		if i < b.lines && !f.deleted[b.d+i].taken && !f.inserted[b.n+i].taken {
			part.lines++
			continue
		}
		if part.lines > 0 && f.counts(part) {
			parts = append(parts, part)
		}
		part = block{d: b.d + i + 1, n: b.n + i + 1}
	}
	return parts
}

// `take` marks the lines of a block as moved.
func (f *finder) take(b block) {
	for i := range b.lines {
		from, to := &f.deleted[b.d+i], &f.inserted[b.n+i]
		from.taken, to.taken = true, true
		source := &from.change.parts[from.part]
		source.fates[from.line] = movedAway
		to.change.parts[to.part].origins[to.line] = origin{why: Moved, source: from.change, line: source.OldStart + from.line}
	}
}

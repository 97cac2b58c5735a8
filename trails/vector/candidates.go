package vector

// candidates is a heap of blocks with the best one first.
type candidates struct {
	finder *finder
	list   []block
}

func (c *candidates) Len() int { return len(c.list) }

func (c *candidates) Swap(i, j int) { c.list[i], c.list[j] = c.list[j], c.list[i] }

func (c *candidates) Push(b any) { c.list = append(c.list, b.(block)) }

func (c *candidates) Pop() any {
	last := c.list[len(c.list)-1]
	c.list = c.list[:len(c.list)-1]
	return last
}

// Less orders blocks. The longest block comes first, then a block that stayed in its file, then the block that moved
// the fewest lines. If these are equal, the first block in the new texts comes first, then the first in the old texts.
func (c *candidates) Less(i, j int) bool {
	a, b := c.list[i], c.list[j]
	if a.lines != b.lines {
		return a.lines > b.lines
	}
	aAway, aFar := c.finder.distance(a)
	bAway, bFar := c.finder.distance(b)
	switch {
	case aAway != bAway:
		return bAway
	case aFar != bFar:
		return aFar < bFar
	case a.n != b.n:
		return a.n < b.n
	}
	return a.d < b.d
}

// distance returns whether a block moved to another file, otherwise by how many lines it moved.
func (f *finder) distance(b block) (away bool, lines int) {
	from, to := f.deleted[b.d], f.inserted[b.n]
	if from.change != to.change {
		return true, 0
	}
	lines = from.change.parts[from.part].OldStart + from.line - to.change.parts[to.part].NewStart - to.line
	return false, max(lines, -lines)
}

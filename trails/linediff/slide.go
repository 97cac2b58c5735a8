package linediff

// group is a run of marked lines, start ≤ line < end. An empty group is before line start. A text with n kept lines has
// n+1 groups. The group after the k-th kept line of one text corresponds to the group after the k-th kept line of the
// other.
type group struct {
	start, end int
}

func (g group) empty() bool { return g.start == g.end }

func (g group) size() int { return g.end - g.start }

func (t *text) firstGroup() group {
	g := group{}
	for t.changed(g.end) {
		g.end++
	}
	return g
}

// `next` moves to the group after the following kept line. It returns false at the end of the text.
func (t *text) next(g *group) bool {
	if g.end == len(t.keys) {
		return false
	}
	g.start = g.end + 1
	for g.end = g.start; t.changed(g.end); {
		g.end++
	}
	return true
}

// `previous` moves to the group before the preceding kept line.
func (t *text) previous(g *group) {
	g.end = g.start - 1
	for g.start = g.end; t.changed(g.start - 1); {
		g.start--
	}
}

// slideUp exchanges the group's last line for the equal line above the group. If the group then touches another one,
// both are merged.
func (t *text) slideUp(g *group) bool {
	if g.start == 0 || !t.same(g.start-1, g.end-1) {
		return false
	}
	g.start--
	g.end--
	t.mark(g.start, true)
	t.mark(g.end, false)
	for t.changed(g.start - 1) {
		g.start--
	}
	return true
}

// slideDown exchanges the group's first line for the equal line below the group. If the group then touches another one,
// both are merged.
func (t *text) slideDown(g *group) bool {
	if g.end == len(t.keys) || !t.same(g.start, g.end) {
		return false
	}
	t.mark(g.start, false)
	t.mark(g.end, true)
	g.start++
	g.end++
	for t.changed(g.end) {
		g.end++
	}
	return true
}

// slideGroups moves every group of t to its best position. A group of lines A B C before another A can equally be B C
// A: the text is the same. As in git, groups that touch are merged. If a group can move to where it corresponds to a
// group of the other text, it does, which makes one hunk of two. Otherwise the indent heuristic chooses the position.
func slideGroups(t, other *text) {
	g, facing := t.firstGroup(), other.firstGroup()
	for {
		if !g.empty() {
			slideGroup(t, other, &g, &facing)
		}
		if !t.next(&g) {
			return
		}
		other.next(&facing)
	}
}

func slideGroup(t, other *text, g, facing *group) {
	up := func() bool {
		if !t.slideUp(g) {
			return false
		}
		other.previous(facing)
		return true
	}
	down := func() bool {
		if !t.slideDown(g) {
			return false
		}
		other.next(facing)
		return true
	}

	var size, highest int
	var faced bool
	for {
		size = g.size()
		for up() {
		}
		highest, faced = g.end, !facing.empty()
		for down() {
			faced = faced || !facing.empty()
		}
		if g.size() == size {
			break
		}
	}
	switch {
	case g.end == highest:
	case faced:
		for facing.empty() && up() {
		}
	default:
		best := bestEnd(t.lines, size, highest, g.end)
		for g.end > best && up() {
		}
	}
}

package weave

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Hunk is one change of a step. Mine is true if the writer made it.
type Hunk struct {
	linediff.Hunk
	Mine bool
}

// `Whose` is the known owner of a line.
type Whose int

// The owners.
const (
	NotKnown Whose = iota
	Mine           // the writer
	Anothers
)

// Weave holds the lines of a file from the writer's first change on.
type Weave struct {
	lines   []*line
	hunks   int         // number of the writer's changes so far
	taken   map[int]int // number of lines of others that each of these changes removed
	clashes [][]*line
}

// line is a line that the file has, or had.
type line struct {
	text    []byte
	mine    bool // the writer wrote it
	brought bool // the writer inserted it, but somebody else wrote it
	rival   bool // somebody else inserted it
	clash   bool // the line is part of a conflict
	hunk    int  // number of the writer's change that inserted it
	gone    bool
	taker   int // number of the writer's change that removed it; 0: somebody else removed it
}

// `back` reports whether a line comes back: only the writer removed it.
func (l *line) back() bool { return !l.mine && l.gone && l.taker > 0 }

// `stays` reports whether the line would be in the file without the writer's changes.
func (l *line) stays() bool { return !l.mine && (!l.gone || l.taker > 0) }

// New starts with the content before the writer's first change.
func New(content [][]byte) *Weave {
	w := &Weave{taken: map[int]int{}}
	for _, text := range content {
		w.lines = append(w.lines, &line{text: text})
	}
	return w
}

// Step applies the changes that lead to the next content. Hunks have line numbers of the present content and of the
// next one, which is the parameter `next`. The function `whose` returns the owner of a line of the next content. In a
// line that stays, the white space may change.
func (w *Weave) Step(hunks []Hunk, next [][]byte, whose func(int) Whose) {
	var seen []int // indexes of the lines that the file has at present
	for at, l := range w.lines {
		if !l.gone {
			seen = append(seen, at)
		}
	}
	var out []*line
	copied := 0
	copyTo := func(end int) {
		if end > copied {
			out = append(out, w.lines[copied:end]...)
			copied = end
		}
	}
	for _, h := range hunks {
		c := change{w: w, mine: h.Mine}
		if h.Mine {
			w.hunks++
		}
		for i := h.NewStart; i < h.NewStart+h.NewCount; i++ {
			c.add(next[i], whose(i))
		}
		if h.OldCount > 0 {
			first, last := seen[h.OldStart], seen[h.OldStart+h.OldCount-1]
			c.remove(w.lines[first : last+1])
			copyTo(last + 1)
		} else {
			copyTo(c.gap(seen, h.OldStart))
		}
		out = append(out, c.fresh...)
	}
	copyTo(len(w.lines))
	w.lines = out
	i := 0
	for _, l := range w.lines {
		if !l.gone {
			l.text = next[i]
			i++
		}
	}
}

// change is a hunk that is being applied.
type change struct {
	w     *Weave
	mine  bool
	fresh []*line
}

func (c *change) add(text []byte, owner Whose) {
	l := &line{text: text, mine: c.mine || owner == Mine, brought: c.mine && owner == Anothers}
	l.rival = !l.mine
	if c.mine {
		l.hunk = c.w.hunks
	}
	c.fresh = append(c.fresh, l)
}

// rivals reports whether anybody except the writer wrote one of the new lines.
func (c *change) rivals() bool {
	return slices.ContainsFunc(c.fresh, func(l *line) bool { return l.rival })
}

// gap returns the index at which lines before the line `number` are inserted. If the writer removed lines there, the
// place is uncertain, unless a line of the writer replaces them.
func (c *change) gap(seen []int, number int) int {
	before, after := -1, len(c.w.lines)
	if number > 0 && number <= len(seen) {
		before = seen[number-1]
	}
	if number < len(seen) {
		after = seen[number]
	}
	if c.mine || !c.rivals() {
		return after
	}
	removed := backs(c.w.lines[before+1 : after])
	switch {
	case before >= 0 && c.w.lines[before].back(): // the writer removed the line before in the same step
		c.w.clash(c.w.region(c.w.lines[before].taker), c.fresh)
	case after < len(c.w.lines) && c.w.lines[after].mine && len(removed) > 0:
		return before + 1 + slices.Index(c.w.lines[before+1:after], removed[0])
	case len(removed) > 0:
		c.w.clash(removed, c.fresh)
	case before >= 0 && after < len(c.w.lines) && c.w.lines[before].hunk > 0 &&
		c.w.lines[before].hunk == c.w.lines[after].hunk && c.w.taken[c.w.lines[before].hunk] > 0:
		c.w.clash(c.w.region(c.w.lines[before].hunk), c.fresh)
	}
	return after
}

// remove removes lines. The span also contains lines in between that were removed earlier.
func (c *change) remove(span []*line) {
	w, removed := c.w, backs(span)
	if c.mine {
		for _, l := range span {
			if l.gone {
				continue
			}
			if l.gone, l.taker = true, w.hunks; l.mine {
				w.join(l.hunk)
			} else {
				w.taken[w.hunks]++
			}
		}
		return
	}
	carried := 0
	var others []*line // further lines of the conflict, if there is one
	for _, l := range span {
		if l.gone {
			continue
		}
		if l.gone = true; l.clash { // the replacement becomes one of the two versions
			others = append(others, l)
		}
		if !l.mine {
			continue
		}
		if carried == 0 {
			carried = l.hunk
		}
		switch {
		case c.rivals():
			others = append(others, l)
		case len(c.fresh) == 0 && w.taken[l.hunk] > 0:
			others = append(others, w.region(l.hunk)...)
		case l.brought:
			others = append(others, w.like(l)...)
		}
	}
	if len(others) > 0 && c.rivals() {
		for _, l := range slices.Clone(others) {
			if w.taken[l.hunk] > 0 {
				others = append(others, w.region(l.hunk)...)
			}
		}
	}
	if len(removed) > 0 || len(others) > 0 {
		w.clash(removed, others, c.fresh)
	}
	for _, l := range c.fresh {
		if l.mine && l.hunk == 0 {
			l.hunk = carried
		}
	}
}

// join merges an earlier change of the writer into the latest one, which changed its lines again.
func (w *Weave) join(earlier int) {
	if earlier == 0 || earlier == w.hunks {
		return
	}
	for _, l := range w.lines {
		if l.hunk == earlier {
			l.hunk = w.hunks
		}
		if l.taker == earlier {
			l.taker = w.hunks
		}
	}
	w.taken[w.hunks] += w.taken[earlier]
	delete(w.taken, earlier)
}

// Owned sets the owners of the present content. A line is not the writer's if the function `another` returns true for
// it, whatever the steps say.
func (w *Weave) Owned(another func(int) bool) {
	i := 0
	for _, l := range w.lines {
		if l.gone {
			continue
		}
		if l.mine && another(i) {
			l.mine, l.rival = false, true
			if w.taken[l.hunk] > 0 {
				w.clash(w.region(l.hunk), []*line{l})
			}
		}
		i++
	}
}

// backs returns the lines of a span that come back.
func backs(span []*line) []*line {
	var out []*line
	for _, l := range span {
		if l.back() {
			out = append(out, l)
		}
	}
	return out
}

// removedBy returns the lines of others that a change of the writer removed.
func (w *Weave) removedBy(hunk int) []*line {
	var out []*line
	for _, l := range w.lines {
		if hunk > 0 && l.back() && l.taker == hunk {
			out = append(out, l)
		}
	}
	return out
}

// region returns the lines that a change of the writer added or removed.
func (w *Weave) region(hunk int) []*line {
	out := w.removedBy(hunk)
	for _, l := range w.lines {
		if l.hunk == hunk {
			out = append(out, l)
		}
	}
	return out
}

// `like` returns the returning lines that have the same text as the given line, apart from white space.
func (w *Weave) like(of *line) []*line {
	var out []*line
	for _, l := range w.lines {
		if l.back() && bytes.Equal(linediff.StripSpace(l.text), linediff.StripSpace(of.text)) {
			out = append(out, l)
		}
	}
	return out
}

// `clash` marks lines as parts of a conflict.
func (w *Weave) clash(parts ...[]*line) {
	lines := slices.Concat(parts...)
	for _, l := range lines {
		l.clash = true
	}
	w.clashes = append(w.clashes, lines)
}

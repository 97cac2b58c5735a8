package weave

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Hunk is one change of a step. Mine is a change by the writer.
type Hunk struct {
	linediff.Hunk
	Mine bool
}

// Whose names the known owner of a line.
type Whose int

// The owners.
const (
	NotKnown Whose = iota
	Mine           // the writer's
	Anothers
)

// Weave holds the lines of a file from the writer's first change on.
type Weave struct {
	lines   []*line
	hunks   int         // of the writer, so far
	taken   map[int]int // how many lines of others each of them removed
	clashes [][]*line
}

// line is a line that the file has or had.
type line struct {
	text    []byte
	mine    bool // the writer wrote it
	brought bool // the writer put it there, and somebody else wrote it
	rival   bool // somebody else put it there
	clash   bool // two versions are possible
	hunk    int  // the writer's change that wrote it
	gone    bool
	taker   int // the writer's change that removed it; 0 for somebody else's
}

// back reports whether a line comes back: only the writer removed it.
func (l *line) back() bool { return !l.mine && l.gone && l.taker > 0 }

// stays reports whether a line is in the file that the writer never changed.
func (l *line) stays() bool { return !l.mine && (!l.gone || l.taker > 0) }

// New begins with the content before the writer's first change.
func New(content [][]byte) *Weave {
	w := &Weave{taken: map[int]int{}}
	for _, text := range content {
		w.lines = append(w.lines, &line{text: text})
	}
	return w
}

// Step makes the changes that lead to the next content. The hunks count lines of the present content and of the next
// one. whose returns the owner of a line of the next content. A kept line may have another white space.
func (w *Weave) Step(hunks []Hunk, next [][]byte, whose func(int) Whose) {
	var seen []int // the places of the lines that the file has
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

// change is a change that is being woven in.
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

// rivals reports whether somebody else than the writer wrote one of the new lines.
func (c *change) rivals() bool {
	return slices.ContainsFunc(c.fresh, func(l *line) bool { return l.rival })
}

// gap returns the place of lines that are added before the line with a number. Lines that the writer removed there make
// the place uncertain, unless a line of the writer replaces them.
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
	case before >= 0 && c.w.lines[before].back(): // the writer removed it in the same step
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

// remove removes lines. The span also has lines between them that were removed before.
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
	var others []*line // that replaced lines of others
	for _, l := range span {
		if l.gone {
			continue
		}
		if l.gone = true; l.clash { // its replacement is one of the versions
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

// join makes an earlier change of the writer a part of the latest one, which changed its lines again.
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

// Owned sets the owners of the present content, line by line: lines with another owner are not the writer's, whatever
// the steps say.
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

// region returns the written and the removed lines of a change by the writer.
func (w *Weave) region(hunk int) []*line {
	out := w.removedBy(hunk)
	for _, l := range w.lines {
		if l.hunk == hunk {
			out = append(out, l)
		}
	}
	return out
}

// like returns the lines that come back with the text of a line, white space apart.
func (w *Weave) like(of *line) []*line {
	var out []*line
	for _, l := range w.lines {
		if l.back() && bytes.Equal(linediff.StripSpace(l.text), linediff.StripSpace(of.text)) {
			out = append(out, l)
		}
	}
	return out
}

// clash marks lines with two possible versions.
func (w *Weave) clash(parts ...[]*line) {
	lines := slices.Concat(parts...)
	for _, l := range lines {
		l.clash = true
	}
	w.clashes = append(w.clashes, lines)
}

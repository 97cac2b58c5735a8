package blame

import "github.com/git-trace/git-trace/internal/cells"

// OwnerColumn draws owners like the table of blame, for output with lines in another order.
type OwnerColumn struct {
	Width int // in cells, of every text that Owner gives

	p     *painter
	limit int
	owner int // the part of it before the sign of doubt
}

// NewOwnerColumn makes a column that fits the lines. An owner takes at most limit cells, unless the id alone takes
// more.
func NewOwnerColumn(lines []Annotated, style Style, limit int) *OwnerColumn {
	c := &OwnerColumn{p: newPainter(nil, lines, style), limit: limit}
	marks := 0
	for i := range lines {
		c.owner = max(c.owner, cells.Width(c.p.owner(&lines[i], limit)))
		marks = max(marks, cells.Width(c.p.doubt(&lines[i])))
	}
	if c.Width = c.owner; marks > 0 {
		c.Width += 1 + marks
	}
	return c
}

// Owner returns the text for a line, in the colour of its conversation. People's lines are drawn dimmer.
func (c *OwnerColumn) Owner(l *Annotated) string {
	paint := c.p.paintFor(l, nil)
	text := cells.Fit(c.p.owner(l, c.limit), c.owner)
	if !l.Owner.ByAI() {
		text = paint.quiet(text)
	}
	if mark := c.p.doubt(l); c.Width > c.owner {
		return paint.owner(text) + paint.quiet(" "+cells.Fit(mark, c.Width-c.owner-1))
	}
	return paint.owner(text)
}

// Drawn names the signs of the lines.
func (c *OwnerColumn) Drawn() Drawn { return c.p.drawn }

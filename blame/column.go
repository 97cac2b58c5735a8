package blame

import "github.com/git-trace/git-trace/internal/cells"

// OwnerColumn draws owners as blame's table does, for output that shows lines in another order.
type OwnerColumn struct {
	Width int // width in cells of every text that Owner returns

	p     *painter
	limit int
	owner int // width without the sign of doubt
}

// NewOwnerColumn makes a column that fits all lines. An owner gets at most `limit` cells, unless the id alone needs
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

// Owner returns the text for a line, in the colour of its conversation. Lines that people wrote are drawn dimmer.
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

// Drawn returns the signs that Owner has drawn.
func (c *OwnerColumn) Drawn() Drawn { return c.p.drawn }

package blame

import (
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/internal/cells"
)

// `paint` holds the colours for the cells of one row. The zero value adds no colours.
type paint struct {
	whole   string // escape sequence for all cells: --color-lines, --color-by-age
	trace   string // colour of the conversation
	quieten bool   // draw all cells except the owner dimmer
}

// paintFor chooses the colours of a row. Git's options for colours win over the colours of conversations and, as in
// git, apply even if the output is not a terminal.
func (p *painter) paintFor(l *Annotated, before *gitblame.Commit) paint {
	switch {
	case p.cols.Repeated != "" && before == l.Commit:
		return paint{whole: p.cols.Repeated}
	case len(p.cols.Ages) > 0:
		return paint{whole: p.age(l)}
	case p.cols.Repeated != "" || !p.style.Color:
		return paint{}
	}
	return paint{trace: p.traceEscape(l.Owner), quieten: true}
}

// age returns the colour for a commit's age. An uncommitted line counts as the youngest.
func (p *painter) age(l *Annotated) string {
	last := len(p.cols.Ages) - 1
	if !l.Commit.Committed() {
		return p.cols.Ages[last].Escape
	}
	for _, age := range p.cols.Ages[:last] {
		if l.Commit.Author.Time <= age.Until {
			return age.Escape
		}
	}
	return p.cols.Ages[last].Escape
}

func (p *painter) traceEscape(a *Attribution) string {
	if !p.style.Color || !a.ByAI() || a.Trace == "" {
		return ""
	}
	return cells.Shade(TraceColor(a.Trace))
}

func colour(escape, text string) string {
	if escape == "" || text == "" {
		return text
	}
	return escape + text + reset
}

func (c paint) row(text string) string   { return colour(c.whole, text) }
func (c paint) owner(text string) string { return colour(c.trace, text) }

func (c paint) quiet(text string) string {
	if !c.quieten {
		return text
	}
	return colour(dim, text)
}

// bar draws a text in the colour of the conversation, so that its lines are easy to see.
func (c paint) bar(text string) string {
	if c.trace == "" {
		return c.quiet(text)
	}
	return colour(c.trace, text)
}

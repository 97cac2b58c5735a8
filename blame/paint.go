package blame

import (
	"fmt"

	"github.com/git-trace/git-trace/blame/gitblame"
)

// paint colours the cells of one row. The zero value does not change them.
type paint struct {
	whole   string // one escape sequence for all cells: --color-lines, --color-by-age
	trace   string // of the conversation
	quieten bool   // everything but the owner steps back
}

// paintFor chooses the colours of a row. git's options for colours have precedence over the colours of conversations,
// and work with any output, as in git.
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

// age returns the colour of a commit's age; an uncommitted line is the youngest.
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
	return fmt.Sprintf("\x1b[38;5;%dm", TraceColor(a.Trace))
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

// bar takes the colour of the conversation, so that the eye finds its lines in the text.
func (c paint) bar(text string) string {
	if c.trace == "" {
		return c.quiet(text)
	}
	return colour(c.trace, text)
}

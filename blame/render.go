package blame

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
)

// Render draws the lines. Its result depends only on its arguments.
func Render(out io.Writer, lines []Annotated, style Style) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	p := newPainter(w, lines, style)
	if style.Drawn != nil {
		defer func() { *style.Drawn = p.drawn }()
	}
	switch {
	case style.Columns.Prompts:
		p.prompts(lines)
	case style.Columns.Annotate:
		p.annotate(lines)
	default:
		p.table(lines)
	}
	return flush(w)
}

// RenderFunctions draws functions with the writers of their lines. It looks at nothing but its arguments.
func RenderFunctions(out io.Writer, lines []Annotated, list []FunctionJSON, style Style) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	p := newPainter(w, lines, style)
	if style.Drawn != nil {
		defer func() { *style.Drawn = p.drawn }()
	}
	p.functions(list)
	return flush(w)
}

// painter draws one output.
type painter struct {
	w     *bufio.Writer
	style Style
	cols  Columns
	short func(events.TraceID) string
	drawn Drawn

	digits  int              // of a commit id
	last    *gitblame.Commit // whose id was written last
	lastHex string
	agents  int // columns of the longest agent name, so that the ids are in a column
	widths  struct{ sign, score, name, number, owner, doubt, date, line int }
}

// The words and signs of the drawing.
const (
	notCommitted = "not committed"
	you          = "you" // the owner of changes in one's own work tree
	bar          = "│"
	dots         = "·"
	signUnknown  = "?" // within the recording, and without evidence
	signMixed    = "+" // an agent and a person
	signDisputed = "!" // clones disagree about it
	signUnsure   = "~" // one of several, or known with little confidence
)

func newPainter(w *bufio.Writer, lines []Annotated, style Style) *painter {
	p := &painter{w: w, style: style, cols: style.Columns, short: style.shortTraces(lines)}
	p.digits = p.cols.Digits
	if p.digits <= 0 {
		p.digits = gitblame.DefaultDigits
	}
	var last *gitblame.Commit
	var ids []string
	for i := range lines {
		l := &lines[i]
		if l.Commit != last && l.Commit.Committed() {
			ids = append(ids, l.Commit.ID.String())
			last = l.Commit
		}
		if l.Owner.ByAI() && (i == 0 || l.Owner != lines[i-1].Owner) {
			p.agents = max(p.agents, cells.Width(oneLine(l.Owner.Agent)))
		}
		if l.OrigPath != p.cols.Path && p.cols.Path != "" {
			p.cols.ShowName = true
		}
	}
	p.digits = cells.UniqueLength(ids, p.digits)
	return p
}

// write writes to the buffer, which reports its first error in flush.
func (p *painter) write(texts ...string) {
	for _, text := range texts {
		_, _ = p.w.WriteString(text)
	}
}

// foreign is text of a commit or a file name: safe on a terminal, untouched elsewhere.
func (p *painter) foreign(text string) string {
	if p.style.Terminal {
		return cells.Safe(text)
	}
	return text
}

// content returns the text of a line. On a terminal a carriage return at its end is left out, because it is invisible,
// and tabs are as wide as in the file, whatever comes before the text.
func (p *painter) content(l *gitblame.Line) string {
	text := string(l.Content)
	if p.style.Terminal {
		return cells.Safe(cells.Expand(strings.TrimSuffix(text, "\r")))
	}
	return text
}

// hash returns the commit id in the digits chosen: dots for no commit, blanks for a boundary with -b.
func (p *painter) hash(c *gitblame.Commit) string {
	switch {
	case !c.Committed():
		return strings.Repeat(dots, p.digits)
	case c.Boundary && p.cols.BlankBoundary:
		return strings.Repeat(" ", p.digits)
	}
	if c != p.last { // its lines mostly follow each other
		p.last, p.lastHex = c, c.ID.String()
	}
	return p.lastHex[:min(p.digits, len(p.lastHex))]
}

// sign returns the marks that git puts before the id: ^ for a boundary, * for a line that only an ignored revision
// explains, ? for a line that an ignored revision changed.
func (p *painter) sign(l *gitblame.Line) string {
	sign := ""
	if l.Commit.Boundary && !p.cols.BlankBoundary && l.Commit.Committed() {
		sign = "^"
	}
	if l.Unblamable {
		sign += "*"
	}
	if l.Ignored {
		sign += "?"
	}
	return sign
}

// conversation returns the short id of a conversation with the number of the prompt: "4f2a#3". Other commands accept
// it.
func (p *painter) conversation(a *Attribution) string {
	id := oneLine(p.short(a.Trace))
	if id != "" && a.PromptIndex > 0 {
		id += "#" + strconv.Itoa(a.PromptIndex)
	}
	return id
}

// person returns the author's name or, with -e, address.
func (p *painter) person(l *Annotated) string {
	switch {
	case !l.Commit.Committed() && l.Owner.Kind == events.OwnerHuman:
		return you
	case !l.Commit.Committed():
		return ""
	case p.cols.Email:
		return p.foreign(l.Commit.Author.Mail)
	}
	return p.foreign(l.Commit.Author.Name)
}

// owner returns the cell that says who wrote a line, at most limit columns wide. If it is too long, the agent's name is
// shortened before the id of the conversation.
func (p *painter) owner(l *Annotated, limit int) string {
	if !l.Owner.ByAI() {
		if p.cols.NoAuthor {
			return ""
		}
		name := p.person(l)
		return cells.Fit(name, min(limit, cells.Width(name)))
	}
	id := p.conversation(l.Owner)
	agent := oneLine(l.Owner.Agent)
	if id == "" {
		return cells.Fit(agent, min(limit, cells.Width(agent)))
	}
	room := limit - cells.Width(id) - 1
	if room <= 0 {
		return id
	}
	return cells.Fit(agent, min(room, p.agents)) + " " + id
}

// doubt returns the sign after the owner.
func (p *painter) doubt(l *Annotated) string {
	a := l.Owner
	switch {
	case a.Kind == events.OwnerOlder:
		p.drawn.Older = true
	case a.Kind == events.OwnerUnknown:
		p.drawn.Unknown = true
		return signUnknown
	case len(a.Disputed) > 0:
		p.drawn.Disputed = true
		return signDisputed
	case a.Kind == events.OwnerMixed:
		p.drawn.Mixed = true
		return signMixed
	case a.ByAI() && (len(a.Candidates) > 1 || a.Confidence == "low"):
		p.drawn.Unsure = true
		return signUnsure
	}
	return ""
}

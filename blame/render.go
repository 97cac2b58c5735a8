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

// Render draws the lines. The output depends only on the arguments.
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

// RenderFunctions draws functions with the writers of their lines. The output depends only on the arguments.
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

	digits  int              // length of a commit id
	last    *gitblame.Commit // the commit whose id was written last
	lastHex string
	agents  int // width of the longest agent name, so that the ids are aligned
	widths  struct{ sign, score, name, number, owner, doubt, date, line int }
}

// The words and signs in the output.
const (
	notCommitted = "not committed"
	you          = "you" // the owner of uncommitted changes in the user's work tree
	bar          = "│"
	dots         = "·"
)

// The signs that follow an owner.
const (
	SignUnknown  = "?" // a line from after the beginning of the recording, without evidence
	SignMixed    = "+" // both an agent and a person
	SignDisputed = "!" // clones disagree
	SignUnsure   = "~" // one of several candidates, or low confidence
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

// write writes to the buffer. flush reports the first error.
func (p *painter) write(texts ...string) {
	for _, text := range texts {
		_, _ = p.w.WriteString(text)
	}
}

// `foreign` returns text of a commit or a file name. For a terminal it is made safe, otherwise it is unchanged.
func (p *painter) foreign(text string) string {
	if p.style.Terminal {
		return cells.Safe(text)
	}
	return text
}

// content returns the text of a line. For a terminal, it removes an invisible carriage return at the end, and expands
// tabs to the width that they have in the file.
func (p *painter) content(l *gitblame.Line) string {
	text := string(l.Content)
	if p.style.Terminal {
		return cells.Safe(cells.Expand(strings.TrimSuffix(text, "\r")))
	}
	return text
}

// hash returns the shortened commit id: dots if there is no commit, blanks for a boundary with -b.
func (p *painter) hash(c *gitblame.Commit) string {
	switch {
	case !c.Committed():
		return strings.Repeat(dots, p.digits)
	case c.Boundary && p.cols.BlankBoundary:
		return strings.Repeat(" ", p.digits)
	}
	if c != p.last { // consecutive lines often have the same commit
		p.last, p.lastHex = c, c.ID.String()
	}
	return p.lastHex[:min(p.digits, len(p.lastHex))]
}

// sign returns the marks that git puts before the id: ^ for a boundary, * for a line that git can credit only to an
// ignored revision, ? for a line that an ignored revision changed.
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

// conversation returns the short id of a conversation and the number of the prompt, as in "4f2a#3". Other commands
// accept this form.
func (p *painter) conversation(a *Attribution) string {
	id := oneLine(p.short(a.Trace))
	if id != "" && a.PromptIndex > 0 {
		id += "#" + strconv.Itoa(a.PromptIndex)
	}
	return id
}

// person returns the author's name, or with -e the address. For an uncommitted line it returns "you" if a person wrote
// it, otherwise "".
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

// owner returns the owner's cell. If it is wider than `limit` columns, the agent's name is shortened or left out; the
// id of the conversation stays whole.
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

// doubt returns the sign that follows the owner.
func (p *painter) doubt(l *Annotated) string {
	a := l.Owner
	switch {
	case a.Kind == events.OwnerOlder:
		p.drawn.Older = true
	case a.Kind == events.OwnerUnknown:
		p.drawn.Unknown = true
		return SignUnknown
	case len(a.Disputed) > 0:
		p.drawn.Disputed = true
		return SignDisputed
	case a.Kind == events.OwnerMixed:
		p.drawn.Mixed = true
		return SignMixed
	case a.ByAI() && (len(a.Candidates) > 1 || a.Confidence == "low"):
		p.drawn.Unsure = true
		return SignUnsure
	}
	return ""
}

package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
)

// logDrawer draws a list of conversations, with their figures in columns.
type logDrawer struct {
	pen   cells.Pen
	cut   func(text string, room int) string
	left  func(text string, room int) string // shortens a path at its beginning
	width int
	short func(events.TraceID) string
	now   time.Time
	// Columns of the first line.
	id, agent, model, ago, prompts int
}

func NewLogDrawer(s *terminal.Screen, items []answers.LogItem, short func(events.TraceID) string,
	now time.Time) *logDrawer {
	d := &logDrawer{pen: cells.Pen{On: s.Color}, cut: s.Cut, left: s.CutLeft, width: s.Width, short: short, now: now}
	calls := 0
	for i := range items {
		c := items[i].Conversation
		d.id = max(d.id, cells.Width(cells.Safe(short(c.Trace))))
		d.agent = max(d.agent, min(cells.Width(cells.Safe(c.Agent)), 16))
		d.model = max(d.model, cells.Width(modelsOf(c)))
		d.ago = max(d.ago, len(numbers.Ago(c.Last, now)))
		d.prompts = max(d.prompts, len(numbers.Count(c.Prompts, "prompt")))
		calls = max(calls, len(numbers.Count(c.Calls, "call")))
	}
	const gaps = 10
	d.model = max(min(d.model, d.width-gaps-d.id-d.agent-d.ago-d.prompts-calls), 8)
	return d
}

// modelsOf names the model that was used last. The full view has the others.
func modelsOf(c *view.Conversation) string {
	if len(c.Models) == 0 {
		return "unknown model"
	}
	name := cells.Safe(view.ModelName(c.Models[len(c.Models)-1]))
	if n := len(c.Models) - 1; n > 0 {
		name += " +" + strconv.Itoa(n)
	}
	return name
}

// CallsText returns the number of calls of a conversation; "" if it is unknown.
func CallsText(c *view.Conversation) string {
	if !c.CallsKnown() {
		return ""
	}
	return numbers.Count(c.Calls, "call")
}

// Conversation draws a conversation: its agent and time, its prompt, and its outcome.
func (d *logDrawer) Conversation(c *view.Conversation) string {
	var b strings.Builder
	color := traceColor(c.Trace)
	b.WriteString(d.pen.Paint(color, cells.Pad(cells.Safe(d.short(c.Trace)), d.id)) + "  ")
	b.WriteString(d.pen.Paint(color, cells.Fit(cells.Safe(c.Agent), d.agent)) + "  ")
	b.WriteString(cells.Fit(modelsOf(c), d.model) + "  ")
	b.WriteString(d.pen.Paint(cells.Faint, cells.Pad(numbers.Ago(c.Last, d.now), d.ago)) + "  ")
	b.WriteString(strings.TrimRight(cells.Pad(numbers.Count(c.Prompts, "prompt"), d.prompts)+"  "+CallsText(c), " ") +
		"\n")
	indent := strings.Repeat(" ", d.id+2)
	room := d.width - len(indent)
	if called := c.Called(); called != "" {
		b.WriteString(indent + d.cut(cells.Line(called), room) + "\n")
	} else if c.Prompt != nil {
		b.WriteString(indent + d.cut(`"`+cells.Line(c.Prompt.Text), room-1) + "\"\n")
	}
	b.WriteString(indent + d.cut(outcomeLine(c), room) + "\n")
	return b.String()
}

// outcomeLine returns the outcome and the cost of a conversation.
func outcomeLine(c *view.Conversation) string {
	text := outcomeText(c)
	if c.Usage != nil {
		text = cells.Dotted(text, CostOf(c.Usage))
	}
	if c.Blocked {
		text += " · read in part"
	}
	if n := len(c.Elsewhere); n > 0 {
		text += " · more in " + numbers.Agree(n, "another clone", "other clones")
	}
	return text
}

// outcomeText returns the outcome of a conversation: "+182 −40 in 6 files · 171 lines in 3 commits". If no hook saw
// the conversation, only its lines in commits are known.
func outcomeText(c *view.Conversation) string {
	held := ""
	if len(c.Commits) > 0 {
		held = fmt.Sprintf("%s in %s", numbers.Count(c.Lines, "line"), numbers.Count(len(c.Commits), "commit"))
	}
	if len(c.Absent) > 0 {
		held = cells.Dotted(held, numbers.Count(view.SumLines(c.Absent), "line")+" in "+numbers.Agree(len(c.Absent),
			"a commit that is",
			"commits that are")+" not fetched")
	}
	switch {
	case held == "" && slices.Contains(c.Sources, view.Lines):
		return "its lines were only in commits that are gone"
	case !c.Seen() && held == "" && len(c.Lost) > 0:
		return numbers.Count(view.SumLines(c.Lost), "line") + " in commits that no branch reaches"
	case !c.Seen() && held == "" && slices.Contains(c.Sources, view.Backfill): // its session file was read
		return "its lines are not in any commit"
	case !c.Seen() && held == "":
		return "only its record is here"
	case !c.Seen():
		return held
	case c.Files == 0 && held == "":
		return "changed nothing"
	case c.Files == 0:
		return held
	}
	files := numbers.Count(c.Files, "file")
	if c.Files >= view.MostFiles {
		files += " or more"
	}
	text := fmt.Sprintf("+%s −%s in %s", numbers.Thousands(c.Added), numbers.Thousands(c.Removed), files)
	if held == "" && c.Added > 0 {
		held = "not committed"
	}
	return cells.Dotted(text, held)
}

// traceColor returns the escape sequence for the colour of a conversation.
func traceColor(id events.TraceID) string {
	return cells.Shade(blame.TraceColor(id))
}

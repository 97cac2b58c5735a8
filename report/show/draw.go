package show

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// showDrawer draws views for people.
type showDrawer struct {
	pen      cells.Pen
	terminal bool
	cut      func(text string, room int) string
	cutLeft  func(text string, room int) string
	width    int
	now      time.Time
	short    func(events.TraceID) string
	inside   func(path string) string // makes a path of the work tree relative to its top; other paths are unchanged
	digits   int                      // digits of a commit id
	prompts  map[int]int              // numbers of the conversation's prompts, by step
	text     strings.Builder
	claims   map[*records.ToolCall][]*view.Declared // cache of declares
}

func newShowDrawer(s *terminal.Screen, v *Viewer) *showDrawer {
	return &showDrawer{pen: cells.Pen{On: s.Color}, terminal: s.Terminal, cut: s.Cut, cutLeft: s.CutLeft, width: s.Width,
		now: time.Now(), short: v.Short, digits: commitDigits(v.ctx, v.Repo, s.Config),
		inside: v.known.Inside}
}

// commitDigits returns the number of digits of git's abbreviated commit ids in this repository. The parameter `known`
// may be nil.
func commitDigits(ctx context.Context, repo *refs.Repo, known *refs.Config) int {
	if known == nil {
		config, err := repo.Config(ctx)
		if err != nil {
			return gitblame.DefaultDigits
		}
		known = &config
	}
	value, _ := known.Get("core.abbrev")
	return gitblame.DigitsOf(repo, value)
}

func (d *showDrawer) line(text string) {
	d.text.WriteString(strings.TrimRight(text, " "))
	d.text.WriteByte('\n')
}

// gap draws an empty line, unless the last line is empty.
func (d *showDrawer) gap() {
	if !strings.HasSuffix(d.text.String(), "\n\n") {
		d.line("")
	}
}

// take returns the drawn text, and starts a new one.
func (d *showDrawer) take() string {
	text := d.text.String()
	d.text.Reset()
	return text
}

func (d *showDrawer) safe(text string) string { return cells.Safe(text) }

// content returns a line of a file or prompt, safe and with tabs expanded.
func (d *showDrawer) content(line string) string { return cells.Safe(cells.Expand(line)) }

// field draws a label and its text; nothing if the text is empty.
func (d *showDrawer) field(label, text string) {
	if text != "" {
		d.line(cells.Pad(label, 14) + text)
	}
}

// conversation names a conversation or one of its prompts, in its colour.
func (d *showDrawer) conversation(trace events.TraceID, prompt int) string {
	if trace == "" {
		return ""
	}
	id := d.safe(d.short(trace))
	if prompt > 0 {
		id += "#" + strconv.Itoa(prompt)
	}
	return d.pen.Paint(traceColor(trace), id)
}

func (d *showDrawer) commit(id refs.OID) string {
	text := id.String()
	return text[:min(d.digits, len(text))]
}

// commits lists commits with the number of lines in each.
func (d *showDrawer) commits(list []view.CommitLines) string {
	var out []string
	for _, c := range list {
		out = append(out, d.pen.Paint(cells.HashColor, d.commit(c.Commit))+" ("+numbers.Count(c.Lines, "line")+")")
	}
	return strings.Join(out, ", ")
}

// `when` returns a time in the user's time zone, and its age.
func (d *showDrawer) when(t time.Time) string {
	return t.Local().Format("2006-01-02 15:04:05") + ", " + numbers.Ago(t, d.now)
}

// span returns a period of time.
func (d *showDrawer) span(first, last time.Time) string {
	if last.IsZero() {
		return "not known"
	}
	first, last = first.Local(), last.Local()
	form := "2006-01-02 15:04"
	if first.Format(time.DateOnly) == last.Format(time.DateOnly) {
		form = "15:04"
	}
	text := first.Format("2006-01-02 15:04")
	if first.Format("15:04") != last.Format("15:04") || form != "15:04" {
		text += " to " + last.Format(form)
	}
	return text + ", " + numbers.Ago(last, d.now)
}

// paceText describes an agent's working and waiting times. It is empty if they are unknown, or less than a minute in
// total.
func paceText(p view.Pace) string {
	if p.Worked+p.Waited < time.Minute {
		return ""
	}
	worked, waited := numbers.Took(p.Worked), numbers.Took(p.Waited)
	if worked != "" {
		worked += " at work"
	}
	if waited != "" {
		waited += " waiting for the next prompt"
	}
	return cells.Join([]string{worked, waited}, ", ")
}

// head draws the id, the agent and the title of a conversation.
func (d *showDrawer) head(t *TraceView) {
	d.field("conversation", d.pen.Paint(traceColor(t.Trace), d.safe(string(t.Trace))))
	agent := []string{t.Agent}
	for _, m := range t.Models {
		agent = append(agent, view.ModelName(m))
	}
	d.field("agent", d.safe(cells.Dotted(agent...)))
	d.field("title", d.safe(t.Title))
}

func (t *TraceView) draw(d *showDrawer) {
	d.head(t)
	d.field("session", d.safe(t.Session))
	d.field("time", d.span(t.First, t.Last))
	d.field("of that", paceText(view.PaceOf(t.Turns)))
	d.field("known from", t.origin())
	for _, e := range t.Elsewhere {
		d.field("goes on", d.safe(fmt.Sprintf("in another clone (%.8s): %s, %s, +%s −%s, last %s; not counted here", e.Writer,
			numbers.Count(e.Prompts, "prompt"), numbers.Count(e.Calls, "call"), numbers.Thousands(e.Added),
			numbers.Thousands(e.Removed),
			e.Last.Local().Format("2006-01-02 15:04"))))
	}
	d.field("changes", outcomeText(&t.Conversation))
	d.field("commits", d.commits(t.Commits))
	d.field("lost commits", d.commits(t.Lost))
	if len(t.Absent) > 0 {
		d.field("not fetched", d.commits(t.Absent)+"; git fetch brings the branches that have them")
	}
	if n := len(t.Subagents); n > 0 {
		d.field("sub-agents", strconv.Itoa(n))
	}
	if t.record != nil {
		d.figures(t.Usage)
		d.outcome(t.record)
		if t.Blocked {
			d.field("but", "much of its session file could not be read; exports leave it out")
		}
		d.steps(t)
		return
	}
	for i := range t.Turns {
		d.line("")
		d.turn(&t.Turns[i], false)
		d.calls(t.Turns[i].Calls)
	}
}

// origin names the source of a conversation that no hook saw here.
func (t *TraceView) origin() string {
	switch {
	case t.Seen() && t.far:
		return "the log of another clone"
	case t.Seen():
		return ""
	case slices.Contains(t.Sources, view.Digest):
		return "prompts and commits that another clone published; no calls"
	case slices.Contains(t.Sources, view.Backfill) && t.far:
		return "its session file, according to the log of another clone"
	case slices.Contains(t.Sources, view.Backfill):
		return "its session file (git trace backfill)"
	case slices.Contains(t.Sources, view.Lines):
		return "lines of commits, according to a file of another program"
	case t.Own:
		return "an imported record"
	}
	return "a record of another clone"
}

// shownPromptLines limits the lines of a prompt in the view of a whole conversation.
const shownPromptLines = 3

// turn draws a prompt: all of its text if `alone` is true, otherwise at most shownPromptLines lines.
func (d *showDrawer) turn(p *view.Turn, alone bool) {
	head := d.conversation(p.Trace, p.Index)
	at := ""
	if p.Time != nil {
		at = p.Time.Local().Format("2006-01-02 15:04")
	}
	switch {
	case p.Index == 0 && len(p.Calls) > 0 && !slices.ContainsFunc(p.Calls, func(c view.Call) bool {
		return c.Tool != events.ToolCompletion
	}):
		head = "accepted completions"
	case p.Index == 0:
		head = "before the first prompt"
	case p.Kind == "task":
		at += "  sent by a background task of the agent"
	}
	if p.Took() >= time.Minute {
		at += "  " + numbers.Took(p.Took())
	}
	d.line(head + "  " + d.pen.Paint(cells.Faint, strings.TrimSpace(d.safe(p.Agent)+"  "+at)))
	switch {
	case p.Text == nil && p.Index > 0:
		d.line("  " + d.pen.Paint(cells.Faint, fmt.Sprintf("(%s; the text is not kept here)", numbers.Count(p.Chars,
			"character"))))
	case p.Text != nil && alone:
		for line := range strings.Lines(*p.Text) {
			d.line("  " + d.content(strings.TrimRight(line, "\r\n")))
		}
	case p.Text != nil:
		for _, line := range cells.Wrap(`"`+cells.Line(*p.Text)+`"`, d.width-2, shownPromptLines) {
			d.line("  " + line)
		}
	}
}

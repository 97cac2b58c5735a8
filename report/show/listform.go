package show

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
)

// placeholder returns the value of %letter in the form of --format.
func (d *logDrawer) placeholder(c *view.Conversation, letter byte) (text string, known bool) {
	switch letter {
	case 'h':
		return d.short(c.Trace), true
	case 'H':
		return string(c.Trace), true
	case 'a':
		return c.Agent, true
	case 'm':
		if len(c.Models) > 0 {
			text = view.ModelName(c.Models[len(c.Models)-1])
		}
		return text, true
	case 's':
		return firstWords(c), true
	case 'r':
		return numbers.Ago(c.Last, d.now), true
	case 'i':
		return c.Last.Format(time.RFC3339), true
	case 'p':
		return strconv.Itoa(c.Prompts), true
	case 'c':
		return strconv.Itoa(c.Calls), true
	case '+':
		return strconv.Itoa(c.Added), true
	case '-':
		return strconv.Itoa(c.Removed), true
	case 'k':
		return strconv.Itoa(c.Lines), true
	case '$':
		if c.Usage != nil && c.Usage.CostUSD != nil {
			text = strconv.FormatFloat(*c.Usage.CostUSD, 'f', 4, 64)
		}
		return text, true
	case '%':
		return "%", true
	}
	return "", false
}

// CheckForm refuses an invalid form, even if there is no conversation to draw.
func CheckForm(form string) error {
	d := logDrawer{short: func(events.TraceID) string { return "" }}
	_, err := d.Formatted(&view.Conversation{}, form)
	return err
}

// firstWords returns the first prompt whose text is kept here.
func firstWords(c *view.Conversation) string {
	if c.Prompt == nil {
		return ""
	}
	return cells.Line(c.Prompt.Text)
}

// NameOf returns the name of a conversation in a row: its title, or its first prompt.
func NameOf(c *view.Conversation) string { return cmp.Or(cells.Line(c.Called()), firstWords(c)) }

// Formatted returns a conversation in the form of --format. The error names an unknown placeholder.
func (d *logDrawer) Formatted(c *view.Conversation, form string) (string, error) {
	if form != "" && !strings.Contains(form, "%") {
		return "", &exit.Failure{Code: exit.Misuse, Err: fmt.Errorf("option '--format': '%s' has no placeholder", form),
			Hint: "git trace help log lists the placeholders; --json gives JSON"}
	}
	var b strings.Builder
	for rest := form; rest != ""; {
		before, after, found := strings.Cut(rest, "%")
		b.WriteString(before)
		if !found {
			break
		}
		letter := after[:min(1, len(after))]
		rest = after[len(letter):]
		if letter == "n" {
			b.WriteString("\n")
			continue
		}
		text, known := "", false
		if letter != "" {
			text, known = d.placeholder(c, letter[0])
		}
		if !known {
			return "", &exit.Failure{Code: exit.Misuse, Err: fmt.Errorf("option '--format': unknown placeholder '%%%s'", letter),
				Hint: "git trace help log lists the placeholders"}
		}
		b.WriteString(cells.Safe(text))
	}
	return b.String() + "\n", nil
}

// Line draws a conversation on one line.
func (d *logDrawer) Line(c *view.Conversation) string {
	color := traceColor(c.Trace)
	head := d.pen.Paint(color, cells.Pad(cells.Safe(d.short(c.Trace)), d.id)) + "  " +
		d.pen.Paint(color, cells.Fit(cells.Safe(c.Agent), d.agent)) + "  " +
		d.pen.Paint(cells.Faint, cells.Pad(numbers.Ago(c.Last, d.now), d.ago)) + "  "
	room := d.width - d.id - d.agent - d.ago - 6
	return strings.TrimRight(head+d.cut(NameOf(c), max(room, 8)), " ") + "\n"
}

// Asked draws the prompts, one on each line. They are below their conversation or, if `alone` is true, each line begins
// with the short id of the conversation.
func (d *logDrawer) Asked(item *answers.LogItem, alone bool) string {
	var b strings.Builder
	number := func(a *view.Asked) string {
		if a.Index == 0 {
			return "" // work before the first prompt in the log
		}
		return "#" + strconv.Itoa(a.Index)
	}
	width := len(number(&item.Asked[len(item.Asked)-1]))
	lead := strings.Repeat(" ", d.id+2)
	if alone {
		lead = cells.Pad(cells.Safe(d.short(item.Trace)), d.id)
	}
	for i := range item.Asked {
		a := &item.Asked[i]
		at, text := "", "(the text is not kept here)"
		if a.Time != nil {
			at = a.Time.Local().Format("2006-01-02 15:04")
		}
		if a.Text != nil {
			text = cells.Line(*a.Text)
		}
		head := d.pen.Paint(traceColor(item.Trace), lead+cells.Pad(number(a), width)) + "  " +
			d.pen.Paint(cells.Faint, cells.Pad(at, len("2006-01-02 15:04"))+fmt.Sprintf("  %8s", numbers.Took(a.Took()))) + "  "
		room := d.width - cells.Width(lead) - width - len("2006-01-02 15:04") - 14
		b.WriteString(head + d.cut(text, max(room, 8)) + "\n")
	}
	return b.String()
}

// Stat draws the files that a conversation changed, with line counts, like git diff --stat.
func (d *logDrawer) Stat(files []view.FileLines) string {
	const bar = 20
	most, digits, name := 1, 1, 1
	for _, f := range files {
		most = max(most, f.Added+f.Removed)
		digits = max(digits, len(strconv.Itoa(f.Added+f.Removed)))
		name = max(name, cells.Width(cells.Safe(f.Path)))
	}
	indent := strings.Repeat(" ", d.id+2)
	name = max(min(name, d.width-len(indent)-digits-bar-4), 8)
	var b strings.Builder
	for _, f := range files {
		path := cells.Pad(d.left(cells.Safe(f.Path), name), name)
		fmt.Fprintf(&b, "%s%s | %*d ", indent, path, digits, f.Added+f.Removed)
		scale := func(n int) int {
			if most <= bar || n == 0 {
				return n
			}
			return max(1, n*bar/most)
		}
		b.WriteString(d.pen.Paint(cells.PlusColor, strings.Repeat("+", scale(f.Added))))
		b.WriteString(d.pen.Paint(cells.LessColor, strings.Repeat("-", scale(f.Removed))) + "\n")
	}
	return b.String()
}

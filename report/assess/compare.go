package assess

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/compare"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/facts"
)

// Side reads one conversation.
func (n *Reader) Side(word string, into *answers.Side) (read *records.Record, err error) {
	err = n.read(word, func(r *records.Record, file string) error {
		if read != nil {
			return fmt.Errorf("%s holds several conversations: git trace import stores them, and each has an id", word)
		}
		read, into.File = r, strings.ToValidUTF8(file, "\ufffd")
		into.Trace, into.Agent, into.Session = r.TraceID, r.Agent.Name, r.SessionID
		into.Model = records.Value(r.Agent.Model)
		return nil
	})
	if err == nil && read == nil {
		err = fmt.Errorf("%s holds no conversation", word)
	}
	if err != nil {
		return nil, err
	}
	return read, n.lines(read, into)
}

// lines counts the lines of a conversation that hooks saw.
func (n *Reader) lines(r *records.Record, side *answers.Side) error {
	if side.File != "" {
		return nil
	}
	c, _, err := n.Known.Conversation(events.TraceID(side.Trace))
	if err != nil {
		return err
	}
	side.Agent, side.Session = c.Agent, c.Session
	log, err := facts.OpenSteering(n.Ctx, n.Repo, n.Known.Reader)
	if err != nil {
		return err
	}
	defer log.Close()
	known, err := log.Known(r)
	if err != nil || known == nil || !c.Seen() {
		return err
	}
	list := []view.Conversation{c}
	if err := n.Known.Complete(n.Ctx, list); err != nil {
		return err
	}
	side.Lines = &answers.WrittenLines{Added: c.Added, Removed: c.Removed, Files: c.Files, Commits: list[0].Lines}
	for i := range known.Patches {
		if fate := known.Patches[i].Fate; fate != nil {
			side.Lines.Alive += fate.Alive
		}
	}
	return nil
}

// DrawComparison draws a comparison for people: the figures of both conversations side by side, then the drifts by
// prompt.
func DrawComparison(c *answers.Compare, p cells.Pen, width int, whole bool) string {
	var b strings.Builder
	const label, column = 12, 26
	row := func(name, of, with string) {
		fmt.Fprintf(&b, "%s%s%s\n", cells.Pad(name, label), cells.Pad(of, column), with)
	}
	row("", p.Paint(cells.Bold, sideName(&c.Of, column-2)), p.Paint(cells.Bold, sideName(&c.With, column-2)))
	for _, figure := range c.Rows() {
		row(figure.Name, cells.Cut(cells.Safe(figure.Of), column-2), cells.Cut(cells.Safe(figure.With), column-2))
	}
	fmt.Fprintf(&b, "\n%s of %s equal, score %.2f\n", numbers.Thousands(c.Equal), numbers.Count(c.Actions, "action"),
		c.Score)
	prompt := -1
	for i := range c.Drifts {
		d := &c.Drifts[i]
		if d.Kind == compare.OtherFiles {
			continue
		}
		if d.Prompt != prompt {
			prompt = d.Prompt
			fmt.Fprintf(&b, "\nprompt %d\n", prompt)
		}
		for _, line := range driftLines(d) {
			if line = cells.Safe(line); !whole {
				line = cells.Cut(line, width)
			}
			b.WriteString(line + "\n")
		}
	}
	if len(c.Files) > 0 {
		b.WriteString("\ndifferent lines in these files\n")
		for _, name := range c.Files {
			b.WriteString("  " + cells.Safe(name) + "\n")
		}
	}
	return b.String()
}

func sideName(c *answers.Side, width int) string {
	name := fmt.Sprintf("%.4s", c.Trace)
	if c.File != "" {
		name = filepath.Base(c.File)
	}
	return cells.Cut(cells.Safe(c.Agent+" "+name), width)
}

// driftLines describes a drift: - marks actions of the first conversation, + of the second.
func driftLines(d *compare.Drift) []string {
	says := func(sign string, a *compare.Action, note string) string {
		text := fmt.Sprintf("%s step %d  %s %s", sign, a.Step, a.Name, a.What)
		if note != "" {
			text += "  (" + note + ")"
		}
		return text
	}
	switch {
	case d.B == nil:
		return []string{says("-", d.A, "")}
	case d.A == nil:
		return []string{says("+", d.B, "")}
	case d.Kind == compare.OtherOrder:
		return []string{says("~", d.A, fmt.Sprintf("step %d, in another order", d.B.Step))}
	}
	note := map[compare.Kind]string{compare.OtherTool: "another tool", compare.OtherKind: "not the same kind"}[d.Kind]
	return []string{says("-", d.A, ""), says("+", d.B, note)}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/compare"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/facts"
)

func compareCommand() *command {
	return &command{
		Name: "compare",
		Does: "compare what two conversations did, and where they differ",
		Form: "git trace compare [--json] (<conversation> | <file>) (<conversation> | <file>)",
		About: "Compares the actions of two conversations, prompt by prompt: calls of tools, skills and hooks.\n" +
			"Actions that differ only in form are equal: a command with other blanks, an edit that changes the\n" +
			"same lines, a path with or without its directory. A file is a session file, or has an exchange\n" +
			"format. The score is the share of the first one's actions that the second did too, in the same\n" +
			"order; their final files count as one action.",
		Options: options("json", "color"),
		Examples: []example{
			{"git trace compare 4f2a session.jsonl", "where another agent's session file differs"},
		},
		Run:    (*app).compare,
		Traits: bounded,
		Tries:  []string{"a b", "--json a b"},
		Waits:  "0000 0000",
		Unseen: "compare.txtar holds its screen",
	}
}

func (a *app) compare(c *call, ops operands) error {
	words := ops.All()
	if len(words) != 2 {
		return exit.Fail(exit.Misuse, errors.New("compare takes two conversations"),
			"git trace compare (<conversation> | <file>) (<conversation> | <file>)")
	}
	reader := recordReader{app: a, ctx: c.Context}
	defer reader.close()
	out := answers.Compare{Schema: answers.CompareSchema}
	var read [2]*records.Record
	for i, side := range [...]*answers.Side{&out.Of, &out.With} {
		r, err := reader.side(words[i], side)
		if err == nil {
			err = reader.lines(r, side)
		}
		if err != nil {
			return err
		}
		read[i] = r
	}
	out.Result = compare.Of(read[0], read[1])
	return a.tellComparison(reader.repo, c, &out)
}

func (a *app) tellComparison(repo *refs.Repo, c *call, out *answers.Compare) error {
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	_, err = io.WriteString(screen.Out, drawComparison(out, cells.Pen{On: screen.Color}, screen.Width, screen.Whole))
	return errors.Join(err, screen.Close())
}

// side reads one conversation.
func (n *recordReader) side(word string, into *answers.Side) (read *records.Record, err error) {
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
	return read, err
}

// lines counts the lines of a conversation that hooks saw.
func (n *recordReader) lines(r *records.Record, side *answers.Side) error {
	if side.File != "" {
		return nil
	}
	c, _, err := n.known.Conversation(events.TraceID(side.Trace))
	if err != nil {
		return err
	}
	side.Agent, side.Session = c.Agent, c.Session
	log, err := facts.OpenSteering(n.ctx, n.repo, n.known.Reader)
	if err != nil {
		return err
	}
	defer log.Close()
	known, err := log.Known(r)
	if err != nil || known == nil || !c.Seen() {
		return err
	}
	list := []view.Conversation{c}
	if err := n.known.Complete(n.ctx, list); err != nil {
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

// drawComparison draws a comparison for people: the figures of both conversations side by side, then the drifts by
// prompt.
func drawComparison(c *answers.Compare, p cells.Pen, width int, whole bool) string {
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

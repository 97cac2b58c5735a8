package main

import (
	"context"
	"errors"
	"io"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/compare"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/assess"
	"github.com/git-trace/git-trace/view/lookup"
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
	reader := a.recordReader(c.Context)
	defer reader.Close()
	out := answers.Compare{Schema: answers.CompareSchema}
	var read [2]*records.Record
	for i, side := range [...]*answers.Side{&out.Of, &out.With} {
		var err error
		if read[i], err = reader.Side(words[i], side); err != nil {
			return err
		}
	}
	out.Result = compare.Of(read[0], read[1])
	return a.tellComparison(reader.Repo, c, &out)
}

func (a *app) tellComparison(repo *refs.Repo, c *call, out *answers.Compare) error {
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	text := assess.DrawComparison(out, cells.Pen{On: screen.Color}, screen.Width, screen.Whole)
	_, err = io.WriteString(screen.Out, text)
	return errors.Join(err, screen.Close())
}

// recordReader reads records of files, and of the conversations here.
func (a *app) recordReader(ctx context.Context) assess.Reader {
	return assess.Reader{Ctx: ctx, Err: a.std.err, Open: func() (*refs.Repo, *lookup.Conversations, error) {
		return a.recorded(ctx)
	}}
}

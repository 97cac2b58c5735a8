package main

import (
	"fmt"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/assess"
	"github.com/git-trace/git-trace/view/lookup"
)

func qualityCommand() *command {
	return &command{
		Name: "quality",
		Does: "how complete the records of conversations are",
		Form: "git trace quality [--json] [--gate] [<conversation> | <file>]…",
		About: "Checks stored records (all or the named ones), session files and files of exchange formats. Its 34\n" +
			"checks serve four kinds of readers. A score says how complete a record is, not how good the work\n" +
			"was.",
		Options: options("gate", "json", "color"),
		Examples: []example{
			{"git trace quality 4f2a", "what the record of a conversation has, and what is missing"},
		},
		Run:    (*app).quality,
		Traits: bounded,
		Tries:  []string{"", "--json"},
	}
}

func (a *app) quality(c *call, ops operands) error {
	q := &assess.Judge{Reader: a.recordReader(c.Context)}
	defer q.Close()
	faults, err := q.All(ops.All())
	if err != nil {
		return err
	}
	switch out := terminal.Quietly(a.std.out); {
	case c.Bool("json"):
		err = writeJSON(out, q.Answer())
	case len(q.List) > 0:
		err = q.Draw(out)
	case len(faults) == 0:
		fmt.Fprintln(a.std.err, lookup.NoneStored)
	}
	if err == nil {
		err = terminal.Faults(a.std.err, faults)
	}
	if err == nil && c.Bool("gate") && !q.Passes() {
		err = exit.Silent(exit.Finding)
	}
	return err
}

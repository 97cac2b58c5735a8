package main

import (
	"time"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/health"
)

func statusCommand() *command {
	return &command{
		Name: "status",
		Does: "what is recorded here, for whom, and whether anything is wrong",
		Form: "git trace status [--json]",
		About: "Looks at hooks, settings and the end of the log, and changes nothing. `git trace doctor` checks\n" +
			"more, `git trace verify` reads the whole log.",
		Options: options("json", "color"),
		Examples: []example{
			{"git trace status", "is it recording, for whom, is anything wrong"},
		},
		Run:    (*app).status,
		Traits: common | alone | bounded | anew | fetchless,
		Shows:  []string{"", "--json"},
	}
}

func (a *app) status(c *call, _ operands) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	h, err := newDoctor(repo)
	if err != nil {
		return err
	}
	report, err := health.Of(c.Context, repo, h, time.Now())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), report)
	}
	screen, _, err := a.display(repo).Plain(c.String("color"))
	if err != nil {
		return err
	}
	if err := health.Draw(screen, report, time.Now()); err != nil {
		return err
	}
	a.tellOffer(repo, true)
	return nil
}

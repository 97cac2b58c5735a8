package main

import (
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/intake"
)

func backfillCommand() *command {
	return &command{
		Name: "backfill",
		Does: "find the conversations that wrote commits before the recording",
		Form: "git trace backfill [--all | <revision range>…] [--transcripts <directory>]… [--dry-run] [--json]",
		About: "Reads the session files of agents, works out the lines of each edit, and looks for these lines in\n" +
			"the commits of the range (HEAD if none is named). It writes the owners to the log, except where\n" +
			"hooks saw the owner. Sessions in another checkout count too, if their lines were committed here.",
		Options: options("all", "transcripts", "dry-run", "json", "color"),
		Examples: []example{
			{"git trace backfill --dry-run", "show the old commits that a session file explains"},
			{"git trace backfill", "write the owners of their lines to the log"},
		},
		Run:    (*app).backfill,
		Traits: common | seals | fetchless,
		Tries:  []string{"--dry-run", "--all"},
	}
}

func (a *app) backfill(c *call, ops operands) error {
	revs := ops.List
	if c.Bool("all") {
		if len(revs) > 0 {
			return exit.Usage("name revisions or --all, not both")
		}
		revs = refs.Everywhere()
	}
	if len(ops.Behind) > 0 {
		return exit.Usage("unexpected argument '%s'", ops.Behind[0])
	}
	b, err := a.filler(c)
	if err != nil {
		return err
	}
	return b.Fill(c.Context, revs, c.StringSlice("transcripts"))
}

// caller holds the values that the command passes to readers of files.
func (a *app) caller(c *call, repo *refs.Repo) intake.Caller {
	return intake.Caller{Repo: repo, Out: a.std.out, Err: a.std.err, Line: a.line, Open: a.open, JSON: c.Bool("json")}
}

func (a *app) filler(c *call) (*intake.Filler, error) {
	repo, err := a.repo()
	return &intake.Filler{Caller: a.caller(c, repo), Dir: a.dir, Dry: c.Bool("dry-run")}, err
}

package main

import (
	"errors"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/view/lookup"
)

func trackCommand() *command {
	return &command{
		Name: "track",
		Does: "the trail of a patch: created, committed, carried through rewrites, and what is left of it",
		Form: "git trace track [--json] <id> | <commit> | <path>[:<line>[-<line>]] | [:]<function>[:<path>] …",
		About: "An id names a patch, or the source of several: a tool call, a prompt (4f2a#3), a conversation. For\n" +
			"a commit it follows the patches that added its lines; for a file or lines in the work tree, the\n" +
			"patches that wrote them. The remaining lines are the lines that blame gives to the patch today,\n" +
			"also at another place: a line that only moved up or down is untouched. For a function it shows the\n" +
			"commits that changed it, with the prompts, through renames of the file; name a function by a word\n" +
			"of its function line, with a colon before it if it could be an id, a branch or a path. git trace\n" +
			"help blame says what a function is. The exit status is 1 when the id does not exist, or nothing is\n" +
			"recorded about it.",
		Options: options("json", "color"),
		Examples: []example{
			{"git trace track '4f2a#1'", "the fate of one prompt's lines"},
			{"git trace track server.go:3", "the fate of the change that added a line"},
			{"git trace track Close:server.go", "the history of a function"},
		},
		Run:    (*app).track,
		Traits: anew,
		Shows:  []string{"a:3", "--json a:3", "HEAD"},
	}
}

func (a *app) track(c *call, ops operands) error {
	wanted := ops.All()
	if len(wanted) == 0 {
		return exit.Fail(exit.Misuse, errors.New("name something to track"),
			"git trace track <id> | <commit> | <path>[:<line>] | <function>")
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	views, err := show.NewViewer(c.Context, repo, known)
	if err != nil {
		return err
	}
	defer views.Close()
	tracked, err := show.Track(views, wanted)
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), tracked.Document())
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	return errors.Join(tracked.Draw(screen, views), screen.Close())
}

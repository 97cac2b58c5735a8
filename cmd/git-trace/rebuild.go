package main

import (
	"fmt"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/upkeep/doctor"
)

func rebuildCommand() *command {
	return &command{
		Name: "rebuild",
		Does: "make the caches again from the log",
		Form: "git trace rebuild",
		About: "Deletes the data that is derived from the log (the read cache, the owners of contents) and\n" +
			"derives it again. It does not change the log.",
		Options: options("color"),
		Examples: []example{
			{"git trace rebuild", "make the caches again from the log"},
		},
		Run:    (*app).rebuild,
		Traits: alone,
		Tries:  []string{""},
		Unseen: "a line that says how many events the cache holds",
	}
}

func (a *app) rebuild(c *call, _ operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	if !repo.HasTraces() {
		_, err := fmt.Fprintln(terminal.Quietly(a.std.out), "nothing is kept in this repository, so there are no caches")
		return err
	}
	shown := a.line.Progress(indexing)
	count, notes, err := doctor.Rebuild(c.Context, repo, shown.Bytes)
	shown.Clear()
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git trace verify names the damage")
	}
	for _, note := range notes {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s\n", cells.Message(note))
	}
	_, err = fmt.Fprintf(terminal.Quietly(a.std.out), "the caches hold %s\n", numbers.Count(int(count), "event"))
	return err
}

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

func (a *app) rebuildCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "rebuild",
		Usage:     "make the caches again from the log",
		UsageText: "git trace rebuild",
		Description: "Deletes the data that is derived from the log (the read cache, the owners of contents) and\n" +
			"derives it again. It does not change the log.",
		Flags: options("color"),
	}, a.rebuild)
}

func (a *app) rebuild(c *cli.Context, ops operands) error {
	if err := ops.none(); err != nil {
		return err
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	if !repo.HasTraces() {
		_, err := fmt.Fprintln(quietWriter{a.std.out}, "nothing is kept in this repository, so there are no caches")
		return err
	}
	shown := a.progress(indexing)
	count, notes, err := index.Rebuild(c.Context, repo, shown.bytes)
	shown.clear()
	if err != nil {
		return fail(exitUnchecked, err, "git trace verify names the damage")
	}
	for _, note := range notes {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s\n", printable(note))
	}
	// made anew when they are needed
	if err := errors.Join(search.Remove(repo), os.RemoveAll(store.PromptCache(repo))); err != nil {
		return fail(exitUnchecked, err, "")
	}
	if err := rebuildOwnership(c, repo); err != nil {
		return fail(exitUnchecked, err, "git trace verify names the damage")
	}
	_, err = fmt.Fprintf(quietWriter{a.std.out}, "the caches hold %s\n", plural(int(count), "event"))
	return err
}

// rebuildOwnership derives the owners of the lines of every content again from this clone's patches.
func rebuildOwnership(c *cli.Context, repo *refs.Repo) error {
	return trails.Rebuild(repo, events.OpenLog(repo).Walk(c.Context, events.Range{}))
}

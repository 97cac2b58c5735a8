package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/doctor"
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
	count, notes, err := doctor.Rebuild(c.Context, repo, shown.bytes)
	shown.clear()
	if err != nil {
		return fail(exitUnchecked, err, "git trace verify names the damage")
	}
	for _, note := range notes {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s\n", printable(note))
	}
	_, err = fmt.Fprintf(quietWriter{a.std.out}, "the caches hold %s\n", plural(int(count), "event"))
	return err
}

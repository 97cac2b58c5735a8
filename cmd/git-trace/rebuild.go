package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

func (a *app) rebuildCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "rebuild",
		Usage:     "make the caches anew from the log",
		UsageText: "git trace rebuild",
		Description: "Deletes what is derived from the log (the read cache, the ownership of contents) and derives it again.\n" +
			"The log itself is only read.",
		Flags: []cli.Flag{colorFlag()},
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
	shown := newProgress(a.std.err)
	count, notes, err := index.Rebuild(c.Context, repo, shown.bytes)
	shown.clear()
	if err != nil {
		return fail(exitUnchecked, err, "git trace verify names the damage")
	}
	for _, note := range notes {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s\n", printable(note))
	}
	if err := errors.Join(search.Remove(repo), os.RemoveAll(promptCache(repo))); err != nil { // made anew when they are needed
		return fail(exitUnchecked, err, "")
	}
	if err := rebuildOwnership(c, repo); err != nil {
		return fail(exitUnchecked, err, "git trace verify names the damage")
	}
	_, err = fmt.Fprintf(quietWriter{a.std.out}, "the caches hold %s\n", plural(int(count), "event"))
	return err
}

// rebuildOwnership derives who owns the lines of every content again from the own log's patches.
func rebuildOwnership(c *cli.Context, repo *refs.Repo) error {
	return trails.Rebuild(repo, events.OpenLog(repo).Walk(c.Context, events.Range{}))
}

// progress shows on a terminal how far something has come.
type progress struct {
	w    io.Writer // nil where nobody looks
	next time.Time
}

// progressDelay is how long something may take without a word.
const progressDelay = time.Second

func newProgress(w io.Writer) *progress {
	if _, terminal := terminalOf(w); !terminal {
		return &progress{}
	}
	return &progress{w: w, next: time.Now().Add(progressDelay)}
}

func (p *progress) bytes(done, total int64) {
	if p.w == nil || total <= 0 || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressDelay / 10)
	fmt.Fprintf(p.w, "\rindexing events: %3d%%", min(done*100/total, 100))
}

// count shows how many of something are done.
func (p *progress) count(what string, done, total int) {
	if p.w == nil || total <= 0 || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressDelay / 10)
	fmt.Fprintf(p.w, "\r%s: %d of %d", what, done, total)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

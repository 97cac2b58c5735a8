package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// `report` prints an error on w as git does, and returns the exit status.
func report(w io.Writer, err error) int {
	if err == nil {
		return exit.Done
	}
	var quiet exit.Silent
	if errors.As(err, &quiet) {
		return int(quiet)
	}
	code, hint := classify(err)
	text := fmt.Sprintf("git-trace: error: %s\n", cells.Message(err.Error()))
	for _, line := range strings.Split(hint, anotherHint) {
		if line != "" {
			text += fmt.Sprintf("git-trace: hint: %s\n", cells.Message(line))
		}
	}
	columns, _ := terminal.Width(w)
	_, _ = w.Write(terminal.Wrap([]byte(text), columns))
	return code
}

// anotherHint separates two hints of one error.
const anotherHint = "\ngit-trace: hint: "

// hintNewer is the hint if a newer program has stored something.
const hintNewer = "install the newest git-trace: what this one records meanwhile is kept until then"

func classify(err error) (int, string) {
	if errors.Is(err, events.ErrNewer) { // its hint comes before any other
		return exit.Unchecked, hintNewer
	}
	var f *exit.Failure
	if errors.As(err, &f) {
		return f.Code, f.Hint
	}
	var git *refs.GitError
	var unknown *agents.UnknownError
	var cache *view.CacheError
	switch {
	case errors.As(err, &cache):
		return exit.Unchecked, "git trace rebuild makes the caches again"
	case errors.As(err, &unknown):
		return exit.Git, unknown.Hint()
	case errors.Is(err, refs.ErrNotRepository):
		return exit.Git, "run this inside a repository, or name one with -C <path>"
	case errors.Is(err, refs.ErrBare):
		return exit.Git, "a bare repository has no files to trace; use a clone with a work tree"
	case errors.Is(err, refs.ErrUnsafe):
		return exit.Git, "if you trust it, add it to safe.directory in git's global configuration"
	case errors.Is(err, context.DeadlineExceeded):
		return exit.Unchecked, "something holds a lock or the disk is slow; try again"
	case errors.As(err, &git):
		return exit.Git, ""
	}
	return exit.Git, ""
}

// tellLeftOut prints one line about the commits that the answer has only in part.
func (a *app) tellLeftOut() {
	commits := a.leftOut.Commits()
	if len(commits) == 0 {
		return
	}
	const most = 3
	var names []string
	for _, c := range commits[:min(len(commits), most)] {
		names = append(names, c.String()[:7])
	}
	if len(commits) > most {
		names = append(names, "…")
	}
	fmt.Fprintf(a.std.err, "git-trace: warning: left out what could not be read of %s (%s): "+
		"git fsck names what is missing, "+
		"and git fetch --refetch --no-filter brings what a partial clone lacks\n", numbers.Count(len(commits), "commit"),
		strings.Join(names, ", "))
}

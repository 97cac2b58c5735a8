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
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Exit statuses of the command line contract.
const (
	exitDone      = 0
	exitFinding   = 1   // verify found damage, or a conversation does not exist
	exitUnchecked = 2   // something could not be checked
	exitLeak      = 4   // the output would contain private text, so nothing is written
	exitGit       = 128 // no repository, or a failure of git
	exitUsage     = 129
)

// failure is an error with its exit status and hint.
type failure struct {
	code int
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail adds an exit status to an error, and a hint if there is a remedy.
func fail(code int, err error, hint string) error {
	if err == nil {
		return nil
	}
	return &failure{code: code, err: err, hint: hint}
}

// usage returns the error for a mistake on the command line.
func usage(format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// silent is an exit status without a message: the output says enough.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// report prints an error on w as git does, and returns the exit status.
func report(w io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	var quiet silent
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
	columns, _ := terminalOf(w)
	_, _ = w.Write(wrapMessages([]byte(text), columns))
	return code
}

// anotherHint separates two hints of one error.
const anotherHint = "\ngit-trace: hint: "

// hintNewer is the hint if a newer program has stored something.
const hintNewer = "install the newest git-trace: what this one records meanwhile is kept until then"

func classify(err error) (int, string) {
	if errors.Is(err, events.ErrNewer) { // its hint comes before any other
		return exitUnchecked, hintNewer
	}
	var f *failure
	if errors.As(err, &f) {
		return f.code, f.hint
	}
	var git *refs.GitError
	var unknown *agents.UnknownError
	var cache *view.CacheError
	switch {
	case errors.As(err, &cache):
		return exitUnchecked, "git trace rebuild makes the caches again"
	case errors.As(err, &unknown):
		return exitGit, unknown.Hint()
	case errors.Is(err, refs.ErrNotRepository):
		return exitGit, "run this inside a repository, or name one with -C <path>"
	case errors.Is(err, refs.ErrBare):
		return exitGit, "a bare repository has no files to trace; use a clone with a work tree"
	case errors.Is(err, refs.ErrUnsafe):
		return exitGit, "if you trust it, add it to safe.directory in git's global configuration"
	case errors.Is(err, context.DeadlineExceeded):
		return exitUnchecked, "something holds a lock or the disk is slow; try again"
	case errors.As(err, &git):
		return exitGit, ""
	}
	return exitGit, ""
}

// noRecord is the error for a conversation that is in the log, but has no record.
func noRecord(trace events.TraceID) error {
	return fail(exitFinding, errors.New("there is no record of conversation "+string(trace)),
		"git trace record "+string(trace)+" reads its session file")
}

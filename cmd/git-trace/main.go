// Command git-trace records what coding agents do to a repository and tells who wrote a line, and in which
// conversation. Installed on the search path it is called as `git trace`.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/git-trace/git-trace/fault"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/version"
)

func main() {
	fault.Tell()
	os.Exit(fault.Run(func() int { return run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}) }))
}

// streams are the standard streams, so that a command can be run without touching the process's own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run dispatches. What agents and git call is decided before the command line framework is entered: those processes
// start thousands of times a day, and nothing they do may be slowed by help texts.
func run(args []string, std streams) int {
	if runner.Takes(args) {
		return runner.Run(args, std.in)
	}
	if len(args) > 0 {
		switch args[0] {
		case "git-hook":
			return runHeavyHook(args[1:])
		case "init", "status", "doctor", "backfill":
			if err := refs.FetchNothing(); err != nil {
				return exitDone // an environment without room
			}
		case "--version", "version", "-v":
			fmt.Fprintln(std.out, "git-trace version "+version.Text())
			return 0
		}
	}
	collectLate()
	return runApp(args, std)
}

// runHeavyHook returns a hook of git that needs more than package runner may link. It succeeds, as every hook.
func runHeavyHook(args []string) int {
	fault.Hush()
	if len(args) == 0 {
		return exitDone
	}
	switch args[0] {
	case hooks.TrailersHook:
		return runTrailersHook(args[1:])
	case hooks.PushHook:
		return runPushHook(args[1:])
	case runner.EnrolHook:
		return runEnrol()
	case pushLaterHook:
		return runPushLater(args[1:])
	}
	return exitDone
}

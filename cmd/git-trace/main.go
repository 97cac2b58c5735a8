// Command git-trace records the changes of coding agents in a repository, and names the conversation that wrote a line.
// If the program is in PATH, git runs it as `git trace`.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/memory"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/upkeep/testimony"
)

func main() {
	fault.Tell()
	os.Exit(fault.Run(func() int { return run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}) }))
}

// streams are the standard streams. Tests replace them.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run chooses the function for a call. It handles the calls of agents and git before it makes the commands, because
// these calls come thousands of times a day.
func run(args []string, std streams) int {
	if runner.Takes(args) {
		return runner.Run(args, std.in)
	}
	if len(args) > 0 {
		switch args[0] {
		case "git-hook":
			return runHeavyHook(args[1:])
		case "--version", "version", "-v":
			fmt.Fprintln(std.out, "git-trace version "+version.Text())
			return 0
		}
	}
	memory.CollectLate()
	return runApp(args, std)
}

// runHeavyHook runs a hook that needs code which package runner may not link. It always returns success.
func runHeavyHook(args []string) int {
	fault.Hush()
	if len(args) == 0 {
		return exit.Done
	}
	switch args[0] {
	case hooks.TrailersHook:
		return runTrailersHook(args[1:])
	case hooks.PushHook:
		return runPushHook(args[1:])
	case runner.EnrolHook:
		return runEnrol()
	case runner.SummaryHook:
		return runSummaryHook()
	case runner.EarlierHook:
		return runEarlierHook()
	case pushLaterHook:
		return runPushLater(args[1:])
	}
	return exit.Done
}

// runEarlierHook prints how many prompts a conversation had before its first hook.
func runEarlierHook() int {
	_, hard := runner.Limits()
	defer runner.Guard(hard, nil)()
	if env, err := agents.SystemEnv(); err == nil {
		testimony.PrintEarlier(context.Background(), env, os.Stdin, os.Stdout)
	}
	return exit.Done
}

// Command git-trace records what coding agents do to a repository and tells who wrote a line, and in which
// conversation. Installed on the search path it is called as `git trace`.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/git-trace/git-trace/refs"
)

// version is set at release by the linker (-X main.version=…).
var version = "0.1.0-dev"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// builtFrom is the commit that the program was built from, where the build knew it: " (4be77d1a2b3c)".
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", changed"
		}
	}
	if commit == "" {
		return ""
	}
	return " (" + commit + changed + ")"
}

// streams are the standard streams, so that a command can be run without touching the process's own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run dispatches. What agents and git call is decided before the command line framework is entered: those processes
// start thousands of times a day, and nothing they do may be slowed by help texts.
func run(args []string, std streams) int {
	if len(args) > 0 {
		switch args[0] {
		case "hook", "git-hook", "init", "status", "doctor", "backfill":
			if err := refs.FetchNothing(); err != nil {
				return exitDone // an environment without room: what a hook cannot do, it leaves
			}
		}
		switch args[0] {
		case "hook":
			return runHook(args[1:], std.in)
		case "git-hook":
			return runGitHook(args[1:], std.in)
		case "--version", "version", "-v":
			fmt.Fprintln(std.out, "git-trace version "+version+builtFrom())
			return 0
		}
	}
	return runApp(args, std)
}

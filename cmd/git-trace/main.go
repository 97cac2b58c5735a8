// Command git-trace records what coding agents do to a repository and tells who wrote a line, and in which
// conversation. Installed on the search path it is called as `git trace`.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// version is set at release by the linker (-X main.version=…).
var version = "0.1.0-dev"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// versionText is the version with the commit that the program was built from, where the build knew it:
// "0.2.0 (4be77d1a2b3c)". What `go install …@v0.2.0` built has no commit, and its module's version is the program's.
func versionText(info *debug.BuildInfo) string {
	if info == nil {
		return version
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
	if commit != "" {
		return version + " (" + commit + changed + ")"
	}
	if asked, ok := strings.CutPrefix(info.Main.Version, "v"); ok {
		return asked
	}
	return version
}

// streams are the standard streams, so that a command can be run without touching the process's own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run dispatches. What agents and git call is decided before the command line framework is entered: those processes
// start thousands of times a day, and nothing they do may be slowed by help texts.
func run(args []string, std streams) int {
	if len(args) > 1 && args[0] == "git-hook" { // these two talk with a remote
		switch args[1] {
		case pushHook:
			return runPushHook(args[2:])
		case pushLaterHook:
			return runPushLater(args[2:])
		}
	}
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
			info, _ := debug.ReadBuildInfo() // nil where the build left none
			fmt.Fprintln(std.out, "git-trace version "+versionText(info))
			return 0
		}
	}
	collectLate()
	return runApp(args, std)
}

package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// display returns where the command writes. `repo` may be nil.
func (a *app) display(repo *refs.Repo) terminal.Output {
	o := terminal.Output{Out: a.std.out, Err: a.std.err, Fold: a.fold, Leave: func() {
		a.signals.Leave()
		a.line.End()
	}}
	if repo != nil {
		o.Config = func() (refs.Config, error) { return repo.Config(a.life) }
	}
	return o
}

// screen opens the screen of the command. `when` is the value of --color. `repo` may be nil.
func (a *app) screen(repo *refs.Repo, when string) (*terminal.Screen, error) {
	return a.display(repo).Open(when)
}

// foldsAt returns the column at which the lines of a call are broken, or 0 for never. Output for programs, text to
// paste and lines of files are not broken.
func (a *app) foldsAt(c *command, args []string) int {
	if len(args) == 0 || printsJSON(args) || slices.ContainsFunc(args, asFile) || c.Is(verbatim) {
		return 0
	}
	return terminal.Columns(a.std.out)
}

func asFile(arg string) bool {
	return arg == "--markdown" || arg == "--format" || strings.HasPrefix(arg, "--format=") || arg == "-o"
}

// printsJSON reports whether a command line prints JSON.
func printsJSON(args []string) bool {
	asked := func(arg string) bool { return arg == "--json" || strings.HasPrefix(arg, "--json=") }
	return slices.ContainsFunc(args, asked) || len(args) > 0 && (args[0] == "export" || args[0] == "convert")
}

// writeJSON writes a value as readable JSON, without escapes for HTML. For git-trace-serve it writes one line: white
// space would be two fifths of a long conversation.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if os.Getenv(view.OneLine) == "" {
		encoder.SetIndent("", "  ")
	}
	return encoder.Encode(value)
}

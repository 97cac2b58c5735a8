package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// startedByPrograms are commands that no person starts, so there is no call of them to show; and serve, whose calls do
// not end by themselves. docs/serve.md shows them.
var startedByPrograms = []string{"lsp", "mcp", "serve"}

// Every command that a person starts shows how, in calls that examples.txtar runs.
func TestEveryCommandShowsExamples(t *testing.T) {
	t.Parallel()
	var commands []string
	for _, c := range (&app{}).program().Commands {
		commands = append(commands, c.Name)
		if list := examplesOf(c.Name); len(list) == 0 != slices.Contains(startedByPrograms, c.Name) {
			t.Errorf("git trace %s: %d examples", c.Name, len(list))
		}
	}
	var calls []string
	for _, e := range examples {
		if !slices.Contains(commands, e.command) {
			t.Errorf("%s is no command", e.command)
		}
		for _, one := range e.calls {
			calls = append(calls, one.call)
			if !strings.Contains(one.call, "git trace "+e.command) || one.does == "" {
				t.Errorf("%q is no example of %s", one.call, e.command)
			}
		}
	}
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range tableRows(section(t, string(page), "Examples")) {
		_, call, _ := strings.Cut(strings.Trim(row, "| "), " | ")
		for one := range strings.SplitSeq(strings.Trim(call, "` "), "; ") {
			if !slices.Contains(calls, one) {
				t.Errorf("docs/cli.md: %q is not in the table of examples", one)
			}
		}
	}
}

// runExamples is the script command `examples ID`: every example is run, with ID in the place of 4f2a. It has to end
// well and to say something.
func runExamples(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: examples ID")
	}
	var failed []string
	for _, e := range examples {
		for _, one := range e.calls {
			err := ts.Exec("sh", "-c", strings.ReplaceAll(one.call, "4f2a", args[0]))
			said := ts.ReadFile("stdout") + ts.ReadFile("stderr")
			if err != nil || said == "" && !strings.Contains(one.call, ">") {
				failed = append(failed, one.call)
			}
		}
	}
	if len(failed) > 0 {
		ts.Fatalf("failed, or said nothing:\n%s", strings.Join(failed, "\n"))
	}
}

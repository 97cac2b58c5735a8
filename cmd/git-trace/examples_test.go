package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Every command that a person starts shows how, in calls that examples.txtar runs. Programs start the commands of the
// companion, and what docs/serve.md shows of serve does not end by itself.
func TestEveryCommandShowsExamples(t *testing.T) {
	t.Parallel()
	var calls []string
	for _, c := range allCommands() {
		if len(c.Examples) == 0 != strings.HasSuffix(c.About, servedBy) {
			t.Errorf("git trace %s: %d examples", c.Name, len(c.Examples))
		}
		for _, one := range c.Examples {
			calls = append(calls, one[0])
			if !strings.Contains(one[0], "git trace "+c.Name) || one[1] == "" {
				t.Errorf("%q is no example of %s", one[0], c.Name)
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
	for _, c := range allCommands() {
		for _, one := range c.Examples {
			err := ts.Exec("sh", "-c", strings.ReplaceAll(one[0], "4f2a", args[0]))
			said := ts.ReadFile("stdout") + ts.ReadFile("stderr")
			if err != nil || said == "" && !strings.Contains(one[0], ">") {
				failed = append(failed, one[0])
			}
		}
	}
	if len(failed) > 0 {
		ts.Fatalf("failed, or said nothing:\n%s", strings.Join(failed, "\n"))
	}
}

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cli"
)

// Help fits a screen of 80 columns, and says of each command what it does and of each option what it is for.
func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"git trace": programHelp(true)}
	for _, c := range allCommands() {
		texts[c.Name] = c.Help()
		for _, o := range c.Options {
			if name, text := o.Text(); text == "" || strings.Contains(text, "`") || strings.Contains(text, "false)") {
				t.Errorf("%s %s: %q", c.Name, name, text)
			}
		}
		if c.Does == "" || c.Form == "" || c.About == "" || len(callsOf(c)) == 0 {
			t.Errorf("%s: a part is missing", c.Name)
		}
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if n := cells.Width(strings.TrimSuffix(line, "\n")); n > cli.Width {
				t.Errorf("%s: a line of %d columns: %q", name, n, line)
			}
		}
	}
}

// callsOf returns all calls of a command that tests make.
func callsOf(c *command) []string { return slices.Concat(c.Shows, c.Tries) }

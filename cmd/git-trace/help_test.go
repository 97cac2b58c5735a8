package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/cells"
)

// Help fits a screen of 80 columns, and says of each command what it does and of each option what it is for.
func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"git trace": programHelp(true)}
	for _, c := range allCommands() {
		texts[c.name] = c.help()
		for _, o := range c.options {
			if name, text := o.text(); text == "" || strings.Contains(text, "`") || strings.Contains(text, "false)") {
				t.Errorf("%s %s: %q", c.name, name, text)
			}
		}
		if c.does == "" || c.form == "" || c.about == "" || len(c.calls()) == 0 {
			t.Errorf("%s: a part is missing", c.name)
		}
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if n := cells.Width(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s: a line of %d columns: %q", name, n, line)
			}
		}
	}
}

func TestLinesOfAParagraphAreJoined(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"one\ntwo":                   "one two",
		"one\n\ntwo\nthree":          "one\n\ntwo three",
		"one\n  set off\n  too\ntwo": "one\n  set off\n  too two",
	} {
		if have := paragraphs(text); have != want {
			t.Errorf("%q: %q, not %q", text, have, want)
		}
	}
}

// calls returns all calls of the command that tests make.
func (c *command) calls() []string { return slices.Concat(c.shows, c.tries) }

package main

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/cells"
)

// Help fits a screen of 80 columns, and says of each command what it does and of each option what it is for.
func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	program := (&app{}).program()
	texts := map[string]string{}
	var all strings.Builder
	program.Setup()
	var few strings.Builder
	printHelp(&few, "", program)
	for _, name := range common {
		if !strings.Contains(few.String(), "\n      "+name+" ") {
			t.Errorf("%s: help does not show it", name)
		}
	}
	program.Metadata[allCommands] = true
	printHelp(&all, "", program)
	texts["git trace"] = all.String()
	for _, c := range program.Commands {
		if c.Category == "" {
			continue // the framework's own
		}
		var one strings.Builder
		printHelp(&one, "", c)
		texts[c.Name] = one.String()
		if !strings.Contains(all.String(), "\n      "+c.Name+" ") {
			t.Errorf("%s: help does not list it", c.Name)
		}
		for _, f := range c.VisibleFlags() {
			if name, text := optionText(f); text == "" || strings.Contains(text, "`") || strings.Contains(text, "false)") {
				t.Errorf("%s %s: %q", c.Name, name, text)
			}
		}
		if c.Usage == "" || c.UsageText == "" || c.Description == "" {
			t.Errorf("%s: help lacks a part", c.Name)
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

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever draws for people has its screen at 80 columns, without colour, in colour, with NO_COLOR and narrow.
func TestEveryViewHasAScreen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(scriptDir, "views.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "-- views.txt --\n")
	list, _, _ = strings.Cut(list, "\n-- ")
	drawn, unseen := map[string]bool{}, map[string]string{}
	for _, c := range allCommands() {
		colours := slices.ContainsFunc(c.Options, func(o optionUse) bool { return o.Names[0] == "color" })
		if colours || c.Is(likeGit) { // which has the colours of git's options
			drawn[c.Name], unseen[c.Name] = false, c.Unseen
		}
	}
	if len(drawn) < 15 {
		t.Fatalf("only %d commands draw: %v", len(drawn), drawn)
	}
	for row := range strings.Lines(list) {
		command, _, _ := strings.Cut(strings.TrimSpace(row), " ")
		if _, known := drawn[command]; !known {
			t.Errorf("views.txtar shows %q, which has no colours", command)
		}
		drawn[command] = true
	}
	for command, shown := range drawn {
		if reason := unseen[command]; shown == (reason != "") {
			t.Errorf("git trace %s: in views.txtar %t, left out because %q", command, shown, reason)
		}
	}
}

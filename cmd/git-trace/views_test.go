package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// screenless are the commands with colours that have no screen in views.txtar, with the reason.
var screenless = map[string]string{
	"checkpoint": "it signs, and says in a line what was signed; checkpoint.txtar holds it",
	"config":     "a list that settings.txtar and docs/settings.md hold",
	"doctor":     "it names places of the machine; status.txtar and doctor's own tests hold what it says",
	"rebuild":    "a line that says how many events the cache holds",
	"snapshot":   "the id of a tree, for programs",
	"events":     "a line for each event; its numbers and times are other ones in each run",
}

// Whatever draws for people has its screen at 80 columns, without colour, in colour, with NO_COLOR and narrow.
func TestEveryViewHasAScreen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(scriptDir, "views.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "-- views.txt --\n")
	list, _, _ = strings.Cut(list, "\n-- ")
	drawn := map[string]bool{"blame": false, "diff": false} // which have the colours of git's options
	for _, command := range (&app{}).program().Commands {
		for _, flag := range command.Flags {
			if slices.Contains(flag.Names(), "color") {
				drawn[command.Name] = false
			}
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
		if reason := screenless[command]; shown == (reason != "") {
			t.Errorf("git trace %s: in views.txtar %t, left out because %q", command, shown, reason)
		}
	}
}

package runner

import (
	"strings"
	"testing"
)

func TestWhichArgumentsAreOfHooks(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"": false, "hook": true, "hook claude-code Stop": true, "git-hook": false, "git-hook post-commit": true, "git-hook later 12": true,
		"git-hook post-rewrite rebase": true, "git-hook pre-push origin": false, "git-hook prepare-commit-msg f message": false,
		"git-hook push-later origin 1": false, "git-hook post-index-change": false, "log": false, "--version": false,
	} {
		if got := Takes(strings.Fields(args)); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}

// A test is not git-trace, and starts nothing that works on after it.
func TestATestIsNotTheProgram(t *testing.T) {
	t.Parallel()
	if path, found := Program(); found {
		t.Errorf("%s is taken for git-trace", path)
	}
}

// What others wrote stays on its line of the file that doctor reads, and moves nothing on a screen.
func TestFailuresAreLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a\nb\x1b[2J": "a b [2J", "größer": "größer", "a\u202eb": "a b", "": ""} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

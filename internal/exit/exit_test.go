package exit_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
)

func TestAFailureKeepsItsCauseAndItsStatus(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("read: %w", exit.Fail(exit.Unchecked, io.EOF, "try again"))
	var f *exit.Failure
	if !errors.As(err, &f) || f.Code != exit.Unchecked || f.Hint != "try again" || !errors.Is(err, io.EOF) ||
		f.Error() != io.EOF.Error() {
		t.Errorf("%+v", f)
	}
	if exit.Fail(exit.Git, nil, "a hint") != nil {
		t.Error("no error is a failure")
	}
	var quiet exit.Silent
	if !errors.As(error(exit.Silent(exit.Finding)), &quiet) || int(quiet) != exit.Finding || quiet.Error() == "" {
		t.Errorf("%v", quiet)
	}
	if err := exit.Usage("option '%s' needs a value", "-n"); !errors.As(err, &f) || f.Code != exit.Misuse ||
		err.Error() != "option '-n' needs a value" {
		t.Error(err)
	}
}

func TestANearWordIsMeant(t *testing.T) {
	t.Parallel()
	known := []string{"blame", "status", "stats", "show"}
	for word, want := range map[string]string{"blam": "blame", "satus": "status", "statsu": "stats", "xyz": "", "": ""} {
		if got := exit.Nearest(word, known); got != want {
			t.Errorf("%q is near to %q", word, got)
		}
	}
	var f *exit.Failure
	if err := exit.NoSuch("command", "blam", known); !errors.As(err, &f) || f.Hint != "did you mean blame?" && f.Hint == "" {
		t.Errorf("%+v", f)
	}
	if hint := exit.Meant("xyz", known, "help lists them"); hint != "help lists them" {
		t.Error(hint)
	}
	for pair, want := range map[[2]string]int{{"a", "a"}: 0, {"ab", "ba"}: 1, {"abc", ""}: 3, {"kitten", "sitting"}: 3} {
		if got := exit.Edits(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d", pair, got)
		}
	}
}

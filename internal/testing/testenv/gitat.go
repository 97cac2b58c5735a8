package testenv

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// GitAt runs git in a directory and returns its output. The date is a number of minutes after a fixed moment, so that
// commit ids are always the same. A conflict does not fail the test.
func GitAt(t testing.TB, dir string, minute int, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	date := time.Date(2026, 11, 2, 10, minute, 0, 0, time.UTC).Format(time.RFC3339)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "CONFLICT") {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

package events

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives every git of the tests a clean configuration, and lets the test binary play an appending process.
func TestMain(m *testing.M) {
	if os.Getenv("EVENTS_TEST_CHILD") != "" {
		os.Exit(child())
	}
	os.Exit(testenv.Main(m))
}

// newRepo makes an empty repository.
func newRepo(t testing.TB, options ...string) *refs.Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a repository")
	runGit(t, "", append(append([]string{"init", "-q"}, options...), dir)...)
	return openRepo(t, dir)
}

// refFiles skips a test that writes the files of refs by hand, as git would not, where refs are no files.
func refFiles(t testing.TB, repo *refs.Repo) {
	t.Helper()
	if repo.RefFormat != "files" {
		t.Skip("refs are no files here")
	}
}

func openRepo(t testing.TB, dir string) *refs.Repo {
	t.Helper()
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// runGit runs git in dir and returns what it prints.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// testTime is the instant of the first test event.
var testTime = time.Date(2026, 11, 20, 9, 0, 0, 123456789, time.UTC)

// promptDraft is a small draft; n makes it unlike the others.
func promptDraft(n int) Draft {
	return Draft{
		Time: testTime.Add(time.Duration(n) * time.Second), Type: PromptSubmitted, Trace: NewTraceID("claude-code", "s1"),
		Agent: "claude-code", Session: "s1", Method: []Method{HookPrompt},
		Data: json.RawMessage(fmt.Sprintf(`{"chars":%d,"index":%d,"kind":"user"}`, 10*n, n+1)),
	}
}

func mustAppend(t testing.TB, l *Log, drafts ...Draft) []Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // on a loaded machine the usual wait is short
	defer cancel()
	events, err := l.Append(ctx, drafts)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// readAll walks the own log.
func readAll(t testing.TB, l *Log, r Range) []Event {
	t.Helper()
	var events []Event
	for e, err := range l.Walk(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

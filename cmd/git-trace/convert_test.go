package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A database of OpenCode holds several conversations: all are converted, those of subagents within their parents, and
// one whose parent is gone by itself.
func TestEverySessionOfADatabaseIsConverted(t *testing.T) {
	t.Parallel()
	source := filepath.Join("..", "..", "testdata", "sessions", "opencode", "several", "opencode.db")
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	renamed := filepath.Join(testenv.TempDir(t), "a copy.sqlite")
	if err := os.WriteFile(renamed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{source}, {"--from", "opencode", renamed}} {
		cmd := exec.Command("git-trace", append([]string{"convert", "--format", "opentraces"}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var got []string
		for line := range bytes.Lines(out) {
			var record struct {
				SessionID string            `json:"session_id"`
				Steps     []json.RawMessage `json:"steps"`
			}
			if err := json.Unmarshal(line, &record); err != nil || len(record.Steps) < 4 {
				t.Fatalf("%d steps, %v", len(record.Steps), err)
			}
			got = append(got, record.SessionID)
		}
		slices.Sort(got)
		want := []string{"ses_dffc0fc51ffe1tFVilrtnGQold", "ses_dffc0fc51ffe1tFVilrtnGQtwo", "ses_dffc1099cffexngj8kqgCqTGfQ"}
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %v", args, got)
		}
	}
}

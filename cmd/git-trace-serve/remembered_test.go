package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// remembered gives the conversation of the demo another record: what was said in it, with a word that later is a secret.
func remembered(t *testing.T, program, dir string) {
	t.Helper()
	list, err := exec.Command(program, "-C", dir, "log", "--json").Output()
	var known struct {
		Conversations []struct{ Trace, Session, Agent string }
	}
	if err != nil || json.Unmarshal(list, &known) != nil || len(known.Conversations) != 1 {
		t.Fatalf("%v\n%s", err, list)
	}
	c := known.Conversations[0]
	step := func(n int, role, text string) map[string]any {
		return map[string]any{"step_index": n, "role": role, "content": text, "tool_calls": []any{}, "observations": []any{},
			"snippets": []any{}, "timestamp": "2026-11-20T10:00:00Z", "model": "anthropic/claude-opus-4-5",
			"token_usage": map[string]any{"input_tokens": 1000, "output_tokens": 100 * n}}
	}
	steps := []any{step(1, "user", "close must be safe to call twice, and from any goroutine. The host is falconhost.")}
	for n := 2; n < 500; n++ {
		steps = append(steps, step(n, "agent", "answer of step "+strings.Repeat("x", n%7)))
	}
	raw, err := json.Marshal(map[string]any{"schema_version": "0.3.0", "trace_id": c.Trace, "session_id": c.Session,
		"agent": map[string]any{"name": c.Agent, "model": "anthropic/claude-opus-4-5"}, "metadata": map[string]any{},
		"timestamp_start": "2026-11-20T10:00:00Z", "timestamp_end": "2026-11-20T11:00:00Z", "steps": steps})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(testenv.TempDir(t), "said.jsonl")
	if err := os.WriteFile(name, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"git", "-C", dir, "update-ref", "-d", "refs/traces/records"},
		{program, "-C", dir, "import", "--from", "opentraces", name},
		{"git", "-C", dir, "config", "trace.redactSecret", "falcon[a-z]+"}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

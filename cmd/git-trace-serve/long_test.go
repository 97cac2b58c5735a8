package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// W9: a line of a megabyte, a result of five, and a commit of 600 files have pages. The result is folded, and a page says
// how much is left out; nothing takes longer than a request may.
func TestPagesOfLongLinesAndResults(t *testing.T) {
	testenv.Wide(t)
	program, dir := demo(t)
	const oneLine, oneResult = 1 << 20, 5 << 20
	long := strings.Repeat("wide ", oneLine/5)
	if err := os.WriteFile(filepath.Join(dir, "wide.js"), []byte("first\n"+long+"\nlast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "wide"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "many"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		if err := os.WriteFile(filepath.Join(dir, "many", fmt.Sprint("f", i)), []byte("one\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "many\n\nall at once"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	call := map[string]any{"tool_call_id": "toolu_long", "tool_name": "Bash", "input": map[string]string{"command": "cat all"}}
	raw, err := json.Marshal(map[string]any{"schema_version": "0.3.0", "trace_id": "0198f0aa-0000-4000-8000-000000000001",
		"session_id": "long", "agent": map[string]any{"name": "claude-code"}, "metadata": map[string]any{},
		"timestamp_start": "2026-11-20T10:00:00Z", "timestamp_end": "2026-11-20T11:00:00Z", "steps": []any{
			map[string]any{"step_index": 1, "role": "user", "content": "show all", "tool_calls": []any{}, "observations": []any{}, "snippets": []any{}, "token_usage": map[string]any{}},
			map[string]any{"step_index": 2, "role": "agent", "content": "", "tool_calls": []any{call}, "snippets": []any{}, "token_usage": map[string]any{},
				"observations": []any{map[string]any{"source_call_id": "toolu_long", "content": strings.Repeat("row of it\n", oneResult/10)}}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(testenv.TempDir(t), "said.jsonl")
	if err := os.WriteFile(name, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "-C", dir, "import", "--from", "opentraces", name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := serveSite(t, program, dir)
	for path, test := range map[string]struct {
		most int // bytes
		want string
	}{
		"/blame/HEAD/wide.js?line=3":              {oneLine + 20_000, `<a id="L3" href="#L3">3</a>`},
		"/commit/HEAD~1":                          {60_000, "wide.js"},
		"/commit/HEAD":                            {400_000, "100 files more: <code>git trace diff "},
		"/t/0198f0aa-0000-4000-8000-000000000001": {40_000, "bytes more"},
		"/search?q=row":                           {60_000, "conversation"},
		"/log":                                    {60_000, "show all"},
	} {
		begun := time.Now()
		body, status := s.get(path)
		if took := time.Since(begun); status != 200 || len(body) > test.most || !strings.Contains(body, test.want) || took > 30*time.Second {
			t.Errorf("%s: status %d, %d bytes after %s, no %q in\n%.2000s", path, status, len(body), took, test.want, body)
		} else {
			t.Logf("%s: %d bytes after %s", path, len(body), took)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A conversation that no hook saw is shown with what its record and the commits know: what each call says that it writes,
// what became of it, and which calls edit or run something.
func TestPagesOfABackfilledConversation(t *testing.T) {
	program, home := built(t)
	dir := testenv.TempDir(t)
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	commit := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run("git", "add", "a.py")
		run("git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "a change")
	}
	run("git", "init", "-q")
	const first = "def total(prices):\n    return sum(prices)\n\ndef count(prices):\n    return len(prices)\n"
	second := strings.Replace(first, "sum(prices)", "round(sum(prices), 2)", 1)
	third := strings.Replace(second, "return len(prices)", "return len(list(prices))", 1)
	commit(first)
	commit(second)
	commit(third)
	calls := []map[string]any{
		{"name": "Write", "input": map[string]string{"file_path": filepath.Join(dir, "a.py"), "content": first}},
		{"name": "Bash", "input": map[string]string{"command": "python -m pytest"}},
		{"name": "Edit", "input": map[string]string{"file_path": filepath.Join(dir, "a.py"), "old_string": "sum(prices)", "new_string": "round(sum(prices), 2)"}},
		{"name": "editor", "input": map[string]string{"command": "view", "path": filepath.Join(dir, "a.py")}},
		{"name": "Read", "input": map[string]string{"file_path": filepath.Join(dir, "a.py")}},
	}
	var lines []string
	add := func(kind string, content any) {
		said := map[string]any{"role": kind, "content": content}
		if kind == "assistant" {
			said["id"], said["model"] = fmt.Sprint("msg", len(lines)), "claude-opus-4-5"
		}
		raw, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprint("u", len(lines)), "sessionId": "backfilled", "cwd": dir, "version": "2.0.14",
			"timestamp": fmt.Sprintf("2026-09-01T09:00:%02d.000Z", len(lines)), "message": said})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(raw))
	}
	add("user", "sum up the prices")
	for i, call := range calls {
		call["type"], call["id"] = "tool_use", fmt.Sprint("toolu_", i)
		add("assistant", []any{call})
		add("user", []any{map[string]string{"type": "tool_result", "tool_use_id": fmt.Sprint("toolu_", i), "content": "done"}})
	}
	sessions := filepath.Join(home, ".claude", "projects", "x")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sessions, "backfilled.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(program, "backfill")
	id := regexp.MustCompile(`"trace": "([0-9a-f-]{36})"`).FindStringSubmatch(run(program, "log", "--json"))
	if id == nil {
		t.Fatal("nothing was backfilled")
	}
	s := serveSite(t, program, dir)
	page := "/t/" + id[1]
	s.shows(page, "4 of 6 lines alive", ">3 of 5 lines alive", ">1 of 1 line alive", "as the call says", "<ins>def total(prices):", "<del>sum(prices)",
		`<span class="plus">+5</span>`, `<span class="plus">+1</span>&nbsp;<span class="less">−1</span>`)
	for show, want := range map[string]string{"edits": "Write Edit", "commands": "Bash", "errors": "", "committed": "Write Edit"} {
		body, _ := s.get(page + "?show=" + show)
		if got := strings.Join(firsts(regexp.MustCompile(`<b class="tool">(\w+)`), body), " "); got != want {
			t.Errorf("?show=%s has %q, not %q", show, got, want)
		}
	}
	body, _ := s.get(page)
	if got := strings.Join(firsts(regexp.MustCompile(`<rect class="(edit|run|other)"`), body), " "); got != "edit run edit other other" {
		t.Errorf("the time line has %q", got)
	}
}

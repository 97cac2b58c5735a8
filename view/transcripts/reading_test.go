package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
)

// What is read of a session file that goes on are the new calls, as they are told where all is read.
func TestWhatIsNewIsReadAsInAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "11111111-2222-4333-8444-555555555551.jsonl")
	env := agents.Env{Home: t.TempDir(), Unzstd: unzstd}
	agent, _ := agents.Lookup(env, "claude-code")
	line := func(kind string, n int, content string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"u%d","parentUuid":"u%d","cwd":%q,"sessionId":"11111111-2222-4333-8444-555555555551",`+
			`"version":"2.1.300","timestamp":"2026-11-02T10:%02d:00.000Z","message":{"id":"m%d","role":%q,"content":%s}}`+"\n",
			kind, n, n-1, dir, n, n, kind, content)
	}
	call := func(n int) string {
		return line("assistant", n, fmt.Sprintf(`[{"type":"tool_use","id":"call%d","name":"Write","input":{"file_path":%q,"content":"text %d\n"}}]`,
			n, filepath.Join(dir, "f.txt"), n))
	}
	result := func(n, of int) string {
		return line("user", n, fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"call%d","content":"done"}]`, of))
	}
	parts := []string{
		line("user", 1, `"first"`) + call(2) + result(3, 2),
		line("user", 4, `"second"`) + call(5),
		result(6, 5) + call(7) + result(8, 7),
		line("user", 9, `"third"`) + call(10) + result(11, 10) + line("assistant", 12, `[{"type":"text","text":"done"}]`),
	}
	var since Reading
	var text string
	told := map[string]bool{}
	for i, part := range parts {
		text += part
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all := &Transcript{Agent: agent, Path: path}
		now := &Transcript{Agent: agent, Path: path, Since: since}
		for _, one := range []*Transcript{all, now} {
			if err := one.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(now.Prompts) != len(all.Prompts) || i == len(parts)-1 && !now.Partial() {
			t.Errorf("part %d: %d prompts of %d, only the new: %v", i, len(now.Prompts), len(all.Prompts), now.Partial())
		}
		since = now.Reading()
		form := func(c *Call) string {
			return fmt.Sprint(c.ID, c.Prompt, c.Began.Minute(), len(c.Edits), now.Session.Dirs)
		}
		want, got := all.Calls(), now.Calls()
		for _, c := range got {
			told[c.ID] = true
			at := slices.IndexFunc(want, func(o *Call) bool { return o.ID == c.ID })
			if at < 0 || form(want[at]) != form(c) {
				t.Errorf("part %d: call %s", i, form(c))
			}
		}
		for _, c := range want {
			if !told[c.ID] || !slices.Contains(since.Calls, c.ID) {
				t.Errorf("part %d: call %s is not told", i, c.ID)
			}
		}
	}
	if n := strings.Count(text, "tool_use_id"); len(told) != n {
		t.Errorf("%d calls of %d", len(told), n)
	}
}

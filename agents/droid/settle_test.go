package droid

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
)

// asked is the end of a session file as version 0.225.2 writes it: two answers, and hooks of git-trace between.
const asked = `{"type":"message","id":"1","timestamp":"2026-11-26T17:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_old","name":"Execute","input":{"command":"make"}}]}}
{"type":"message","id":"2","timestamp":"2026-11-26T17:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_old","is_error":true,"content":"Error: Command failed (exit code: 3)\n\n[Process exited with code 3]"}]}}
{"type":"message","id":"3","timestamp":"2026-11-26T17:00:03Z","message":{"role":"assistant","content":[{"type":"text","text":"Several."},{"type":"tool_use","id":"toolu_a","name":"Execute","input":{"command":"make","riskLevel":"low"}},{"type":"tool_use","id":"toolu_b","name":"Edit","input":{"file_path":"/w/a.txt","new_str":"b","old_str":"a"}},{"type":"tool_use","id":"toolu_c","name":"Create","input":{"content":"x","file_path":"/w/c"}},{"type":"tool_use","id":"toolu_d","name":"Create","input":{"file_path":"/w/c","content":"x"}}]}}
{"type":"message","id":"4","timestamp":"2026-11-26T17:00:04Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse"}}
{"type":"message","id":"5","timestamp":"2026-11-26T17:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_b","is_error":true,"content":"Error: The text to replace was not found in the file."}]}}
{"type":"message","id":"6","timestamp":"2026-11-26T17:00:06Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","is_error":true,"content":"Error: Droid-Shield cannot scan a commit"}]}}
{"type":"message","id":"7","timestamp":"2026-11-26T17:00:07Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_c","is_error":false,"content":"ok"}]}}
`

func askedFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(asked), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestACallWithoutAnIDIsTheOneThatTheLastAnswerAsksFor(t *testing.T) {
	t.Parallel()
	path := askedFile(t)
	for _, tt := range []struct{ says, path, tool, input, want string }{
		{"the same members in another order", path, "Edit", `{"old_str":"a","new_str":"b","file_path":"/w/a.txt"}`, "toolu_b"},
		{"a command", path, "Execute", `{"riskLevel":"low","command":"make"}`, "toolu_a"},
		{"that of an older answer", path, "Execute", `{"command":"make"}`, ""},
		{"the same twice", path, "Create", `{"content":"x","file_path":"/w/c"}`, ""},
		{"another tool", path, "Write", `{"content":"x","file_path":"/w/c"}`, ""},
		{"no JSON", path, "Edit", `{`, ""},
		{"no file", path + ".none", "Edit", `{"old_str":"a","new_str":"b","file_path":"/w/a.txt"}`, ""},
	} {
		if got := callOf(tt.path, tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.says, got, tt.want)
		}
	}
}

func TestTheSessionFileTellsWhatBecameOfACall(t *testing.T) {
	t.Parallel()
	path := askedFile(t)
	for _, tt := range []struct {
		says string
		call capability.Call
		want capability.Outcome
		at   int
	}{
		{"a command that failed", capability.Call{CallID: "toolu_old", Class: events.ToolRuns}, capability.OutcomeRan, 2},
		{"an edit that did not apply", capability.Call{CallID: "toolu_b", Class: events.ToolEdits}, capability.OutcomeRejected, 5},
		{"a command that was refused", capability.Call{CallID: "toolu_a", Class: events.ToolRuns}, capability.OutcomeRejected, 6},
		{"a call that went well", capability.Call{CallID: "toolu_c", Class: events.ToolEdits}, capability.OutcomeRan, 7},
		{"a call without a result", capability.Call{CallID: "toolu_d", Class: events.ToolEdits}, capability.OutcomeUnknown, 0},
		{"a call that goes on", capability.Call{CallID: "toolu_a", Background: true}, capability.OutcomeUnknown, 0},
		{"a call without an id", capability.Call{}, capability.OutcomeUnknown, 0},
	} {
		tt.call.Transcript = path
		got := (&client{}).settle(tt.call)
		at := time.Time{}
		if tt.at > 0 {
			at = time.Date(2026, 11, 26, 17, 0, tt.at, 0, time.UTC)
		}
		if got.Outcome != tt.want || !got.At.Equal(at) {
			t.Errorf("%s: %v at %v, want %v at %v", tt.says, got.Outcome, got.At, tt.want, at)
		}
	}
}

package codexcli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/codexcli"
	"github.com/git-trace/git-trace/events"
)

// The lines have the shape of those that the client writes, for calls of both tool modes.
const sessionFile = `{"type":"session_meta","payload":{"id":"s"}}
{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"call_failed","name":"apply_patch","input":"…"}}
{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_failed","output":"apply_patch verification failed: Failed to find expected lines in /work/a.txt:\nno such line"}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"call_yielded"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_yielded","output":"Chunk ID: 7d9754\nWall time: 0.3003 seconds\nProcess running with session ID 12061\nOutput:\n"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_done","output":"Wall time: 0.0 seconds\nProcess exited with code 3\nOutput:\n"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_blocked","output":"Command blocked by PreToolUse hook: no. Command: rm"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_aborted","output":"Wall time: 6.8 seconds\naborted by user"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","status":"completed"}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-2","status":"declined"}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_blocks","output":[{"type":"input_text","text":"x"}]}}
torn {"call_torn"
`

func TestTheSessionFileTellsHowACallEnded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	if err := os.WriteFile(path, []byte(sessionFile), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		call capability.Call
		want capability.Outcome
	}{
		{"a patch that did not apply wrote nothing", capability.Call{CallID: "call_failed", Class: events.ToolEdits}, capability.OutcomeRejected},
		{"a command that outlasts its call may still write", capability.Call{CallID: "call_yielded", Class: events.ToolRuns}, capability.OutcomeUnknown},
		{"a command that failed has run", capability.Call{CallID: "call_done", Class: events.ToolRuns}, capability.OutcomeRan},
		{"a blocked command never ran", capability.Call{CallID: "call_blocked", Class: events.ToolRuns}, capability.OutcomeRejected},
		{"an aborted command is over", capability.Call{CallID: "call_aborted", Class: events.ToolRuns}, capability.OutcomeRan},
		{"a call of code mode is known by its own id", capability.Call{CallID: "exec-1", Class: events.ToolRuns}, capability.OutcomeRan},
		{"a declined call never ran", capability.Call{CallID: "exec-2", Class: events.ToolRuns}, capability.OutcomeRejected},
		{"a result in blocks tells nothing", capability.Call{CallID: "call_blocks", Class: events.ToolRuns}, capability.OutcomeUnknown},
		{"a torn line tells nothing", capability.Call{CallID: "call_torn", Class: events.ToolRuns}, capability.OutcomeUnknown},
		{"a patch without a result is over when the next boundary comes", capability.Call{CallID: "exec-9", Class: events.ToolEdits}, capability.OutcomeRan},
		{"a command without a result may run", capability.Call{CallID: "exec-9", Class: events.ToolRuns}, capability.OutcomeUnknown},
		{"an id that is none is not looked for", capability.Call{CallID: "a b", Class: events.ToolEdits}, capability.OutcomeUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.call.Transcript = path
			end := codexcli.New(capability.Env{}).Decoder.Settle(tt.call)
			if end.Outcome != tt.want {
				t.Errorf("got %s, want %s", end.Outcome, tt.want)
			}
			if end.Unbegun != (tt.call.CallID == "call_aborted") {
				t.Error("only a call that was aborted may never have begun")
			}
			if end.Finished != (tt.call.CallID == "exec-1") {
				t.Error("only a command that ended by itself has finished")
			}
		})
	}
}

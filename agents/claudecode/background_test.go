package claudecode

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
)

func TestABackgroundCallHasEndedWhenItsNotificationIsQueued(t *testing.T) {
	t.Parallel()
	queued := `{"type":"queue-operation","operation":"enqueue","content":"<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>completed</status>\n</task-notification>"}`
	said := `{"type":"assistant","message":{"content":"<task-notification>\n<tool-use-id>toolu_1</tool-use-id>"}}`
	tests := map[string]struct {
		lines string
		want  capability.Outcome
	}{
		"nothing is queued yet":             {`{"type":"user"}` + "\n", capability.OutcomeUnknown},
		"its notification is queued":        {`{"type":"user"}` + "\n" + queued + "\n", capability.OutcomeRan},
		"the model only speaks of it":       {said + "\n", capability.OutcomeUnknown},
		"the line is not whole":             {queued[:80] + "\n", capability.OutcomeUnknown},
		"another call's is queued":          {`{"type":"queue-operation","content":"<task-notification><tool-use-id>toolu_12</tool-use-id>"}` + "\n", capability.OutcomeUnknown},
		"there is no session file any more": {"", capability.OutcomeUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "session.jsonl")
			if tt.lines != "" {
				if err := os.WriteFile(file, []byte(tt.lines), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			client := &Client{}
			got := client.Settle(capability.Call{Transcript: file, CallID: "toolu_1", Background: true}).Outcome
			if got != tt.want {
				t.Errorf("outcome is %v, want %v", got, tt.want)
			}
		})
	}
}

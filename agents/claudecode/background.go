package claudecode

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// settleBackground finds out whether a call that continued in the background has ended. When it ends, the client adds a
// notification for the model to the conversation's queue and a line about it to the session file, both before the next
// call begins.
func settleBackground(call capability.Call) capability.End {
	file, err := transcript.Open(payload.AbsPath(call.Transcript))
	if err != nil {
		return capability.End{}
	}
	defer func() { _ = file.Close() }()
	mark := "<tool-use-id>" + call.CallID + "</tool-use-id>"
	for line := range file.Lines(settleWindow) {
		if !bytes.Contains(line, []byte(mark)) {
			continue
		}
		var queued struct {
			Type    string `json:"type"`
			Content string `json:"content"`
			Time    string `json:"timestamp"`
		}
		if json.Unmarshal(line, &queued) == nil && queued.Type == "queue-operation" &&
			strings.HasPrefix(queued.Content, "<task-notification>") && strings.Contains(queued.Content, mark) {
			return capability.End{Outcome: capability.OutcomeRan, At: payload.Time(queued.Time)}
		}
	}
	return capability.End{}
}

package codexcli

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/events"
)

// settleWindow is the size of the part at the end of a session file that is searched for the result of a call.
const settleWindow = 1 << 20

// `settle` searches the session file for the end of a tool call, by the id that the hook had. While a patch is applied,
// no other call of the conversation runs. So a patch without a known end has ended when another boundary comes.
func (c *Client) settle(call capability.Call) capability.End {
	var found capability.End
	if !payload.CallID(call.CallID) {
		return found
	}
	file, err := transcript.Open(payload.AbsPath(call.Transcript))
	if err == nil {
		id := []byte(`"` + call.CallID + `"`)
		var answered time.Time
		for line := range file.Lines(settleWindow) {
			if !bytes.Contains(line, id) {
				continue
			}
			if found = endIn(line, call.CallID); !found.Answered.IsZero() {
				answered = found.Answered
			}
			if found.Outcome != capability.OutcomeUnknown {
				break
			}
		}
		found.Answered = answered
		_ = file.Close()
	}
	if found.Outcome == capability.OutcomeUnknown && call.Class == events.ToolEdits {
		found.Outcome = capability.OutcomeRan
	}
	return found
}

// endIn decodes a session line: the result for the model, or the client's own note that the call has ended.
func endIn(line []byte, callID string) (end capability.End) {
	var entry struct {
		Time    string `json:"timestamp"`
		Payload struct {
			Type   string          `json:"type"`
			CallID string          `json:"call_id"`
			Output json.RawMessage `json:"output"`
			Item   struct {
				Type   string `json:"type"`
				ID     string `json:"id"`
				Status string `json:"status"`
			} `json:"item"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &entry) != nil {
		return end
	}
	end.At = payload.Time(entry.Time)
	p := &entry.Payload
	switch {
	case p.Type == "item_completed" && p.Item.ID == callID:
		if p.Item.Status == "declined" {
			end.Outcome = capability.OutcomeRejected
			return end
		}
		end.Outcome = capability.OutcomeRan
		end.Finished = p.Item.Type == "CommandExecution" && p.Item.Status == "completed"
	case (p.Type == "function_call_output" || p.Type == "custom_tool_call_output") && p.CallID == callID:
		end.Answered = end.At
		var text string
		if json.Unmarshal(p.Output, &text) == nil {
			end.Outcome, end.Unbegun = outcomeOfText(text), strings.HasSuffix(text, "aborted by user")
		}
	}
	return end
}

// outcomeOfText returns the outcome from the text for the model. A command that outlives its call has reported
// something and still runs.
func outcomeOfText(text string) capability.Outcome {
	switch {
	case strings.HasPrefix(text, "apply_patch verification failed"),
		strings.HasPrefix(text, "Command blocked by PreToolUse hook"),
		strings.HasPrefix(text, "Tool call blocked by PreToolUse hook"):
		return capability.OutcomeRejected
	case strings.Contains(head(text, 200), "Process running with session ID"):
		return capability.OutcomeUnknown
	}
	return capability.OutcomeRan
}

func head(text string, n int) string { return text[:min(len(text), n)] }

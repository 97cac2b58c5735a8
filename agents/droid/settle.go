package droid

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/events"
)

// settleWindow is the size of the part at the end of a session file that is searched for a call.
const settleWindow = 1 << 20

// said is a line of the session file, with the members about calls and their results.
type said struct {
	Type    string    `json:"type"`
	Time    time.Time `json:"timestamp"`
	Message struct {
		Role    string `json:"role"`
		Content []struct {
			Type   string          `json:"type"`
			ID     string          `json:"id"`
			Name   string          `json:"name"`
			Input  json.RawMessage `json:"input"`
			Of     string          `json:"tool_use_id"`
			Failed bool            `json:"is_error"`
			Text   json.RawMessage `json:"content"`
		} `json:"content"`
	} `json:"message"`
}

// lastSaid passes the messages of a session file to the function `take`, the last one first, until `take` returns
// false.
func lastSaid(path string, take func(*said) (more bool)) {
	file, err := transcript.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	for raw := range file.Lines(settleWindow) {
		var one said
		if json.Unmarshal(raw, &one) == nil && one.Type == "message" && !take(&one) {
			return
		}
	}
}

// callOf returns the id of a call whose payload lacks it: the answer with the call is written before its hooks run. It
// returns "" if the last answer lacks the call, or has it several times.
func callOf(path, tool string, input json.RawMessage) string {
	var want any
	if json.Unmarshal(input, &want) != nil {
		return ""
	}
	id, several := "", false
	lastSaid(path, func(one *said) bool {
		asks := false
		for _, block := range one.Message.Content {
			if block.Type != "tool_use" {
				continue
			}
			asks = true
			var has any
			if block.Name == tool && payload.CallID(block.ID) && json.Unmarshal(block.Input, &has) == nil &&
				reflect.DeepEqual(has, want) {
				several = id != ""
				id = block.ID
			}
		}
		return !asks
	})
	if several {
		return ""
	}
	return id
}

// ended is the text at the end of the result of every command that ran.
const ended = "[Process exited with code "

// `settle` searches the session file for the result of a call, because no hook runs after a failed call. The result of
// a command that ran says how its process ended. Any other error means that the call wrote nothing.
func (c *client) settle(call capability.Call) (end capability.End) {
	if call.Background || !payload.CallID(call.CallID) {
		return end
	}
	lastSaid(payload.AbsPath(call.Transcript), func(one *said) bool {
		for _, block := range one.Message.Content {
			if block.Type != "tool_result" || block.Of != call.CallID {
				continue
			}
			end = capability.End{Outcome: capability.OutcomeRan, At: one.Time}
			if block.Failed && (call.Class == events.ToolEdits || !strings.Contains(string(block.Text), ended)) {
				end.Outcome = capability.OutcomeRejected
			}
			return false
		}
		return true
	})
	return end
}

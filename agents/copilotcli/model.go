package copilotcli

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindow is the size of the part at the end of the session file that is searched for the model.
const modelWindow = 512 << 10

// modelOf returns the model of the answer with a call, in a subagent or in the main conversation. It is "" as long as
// the session file, which is written late, lacks the call: the model may have changed since. The result `at` is the
// time of the answer, or of the end of its last call; zero if the file has none.
func modelOf(path, subagent, fingerprint string) (model string, at time.Time) {
	file, err := transcript.Open(path)
	if err != nil {
		return "", time.Time{}
	}
	defer func() { _ = file.Close() }()
	ended := map[string]bool{}
	for line := range file.Lines(modelWindow) {
		if !bytes.Contains(line, []byte(`"toolCallId"`)) {
			continue
		}
		var entry entry
		if json.Unmarshal(line, &entry) != nil || entry.Agent != subagent {
			continue
		}
		switch entry.Type {
		case "tool.execution_complete":
			if at.IsZero() {
				at = entry.At
			}
			ended[entry.Data.CallID] = true
		case "assistant.message":
			if at.IsZero() {
				at = entry.At
			}
			if entry.asks(fingerprint, ended) {
				return payload.Name(entry.Data.Model), at
			}
			return "", time.Time{}
		}
	}
	return "", time.Time{}
}

// entry is a line of the session file, with the members that show which answer made a call.
type entry struct {
	Type  string    `json:"type"`
	Agent string    `json:"agentId"`
	At    time.Time `json:"timestamp"`
	Data  struct {
		Model  string `json:"model"`
		CallID string `json:"toolCallId"`
		Calls  []struct {
			ID   string          `json:"toolCallId"`
			Tool string          `json:"name"`
			Args json.RawMessage `json:"arguments"`
		} `json:"toolRequests"`
	} `json:"data"`
}

// `asks` reports whether an answer requests a call that has not ended.
func (e *entry) asks(fingerprint string, ended map[string]bool) bool {
	for _, call := range e.Data.Calls {
		if !ended[call.ID] && payload.Fingerprint(call.Tool, call.Args) == fingerprint {
			return true
		}
	}
	return false
}

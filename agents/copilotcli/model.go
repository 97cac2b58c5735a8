package copilotcli

import (
	"bytes"
	"encoding/json"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindow is the size of the session file's end in which the model is looked for.
const modelWindow = 512 << 10

// modelOf is the model of the answer that a call stands in, of a sub-agent or of the main conversation; "" as long as
// the session file, which is written behind, does not hold the call: the model may have changed since what it holds.
func modelOf(path, subagent, fingerprint string) string {
	file, err := transcript.Open(path)
	if err != nil {
		return ""
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
			ended[entry.Data.CallID] = true
		case "assistant.message":
			if entry.asks(fingerprint, ended) {
				return payload.Name(entry.Data.Model)
			}
			return ""
		}
	}
	return ""
}

// entry is a line of the session file as far as it tells which answer asks for a call.
type entry struct {
	Type  string `json:"type"`
	Agent string `json:"agentId"`
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

// asks tells whether an answer asks for a call that has not ended.
func (e *entry) asks(fingerprint string, ended map[string]bool) bool {
	for _, call := range e.Data.Calls {
		if !ended[call.ID] && payload.Fingerprint(call.Tool, call.Args) == fingerprint {
			return true
		}
	}
	return false
}

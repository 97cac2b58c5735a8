package copilotcli

import (
	"bytes"
	"encoding/json"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindow is the size of the session file's end in which the model is looked for.
const modelWindow = 512 << 10

// lastModel is the model that the session file named last for a sub-agent, or for the main conversation, "" when nothing tells.
func lastModel(path, subagent string) string {
	file, err := transcript.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for line := range file.Lines(modelWindow) {
		if !bytes.Contains(line, []byte(`Model"`)) && !bytes.Contains(line, []byte(`"model"`)) {
			continue
		}
		var entry struct {
			Type  string `json:"type"`
			Agent string `json:"agentId"`
			Data  struct {
				Model    string `json:"model"`
				New      string `json:"newModel"`
				Selected string `json:"selectedModel"`
			} `json:"data"`
		}
		if json.Unmarshal(line, &entry) != nil || entry.Agent != subagent {
			continue
		}
		switch entry.Type {
		case "assistant.message", "tool.execution_start":
			return payload.Name(entry.Data.Model)
		case "session.model_change":
			return payload.Name(entry.Data.New)
		case "session.start", "session.resume":
			return payload.Name(entry.Data.Selected)
		}
	}
	return ""
}

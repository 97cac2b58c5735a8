package qwencode

import (
	"bytes"
	"encoding/json"

	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindow is the size of the part at the end of the session file that is searched for the model of a subagent.
const modelWindow = 512 << 10

// lastModel returns the model of the last answer in the main conversation or in a subagent; "" if unknown. The files of
// subagents name no model; the session's file has the model of every answer in the client's own notes.
func lastModel(path, subagent string) string {
	if subagent == "" {
		return geminihooks.LastModel(path)
	}
	file, err := transcript.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for line := range file.Lines(modelWindow) {
		if !bytes.Contains(line, []byte(subagent)) || !bytes.Contains(line, []byte(`"qwen-code.api_response"`)) {
			continue
		}
		var entry struct {
			Type   string `json:"type"`
			System struct {
				Event struct {
					Name     string `json:"event.name"`
					Model    string `json:"model"`
					Subagent string `json:"subagent_id"`
				} `json:"uiEvent"`
			} `json:"systemPayload"`
		}
		if json.Unmarshal(line, &entry) != nil || entry.Type != "system" {
			continue
		}
		if e := entry.System.Event; e.Name == "qwen-code.api_response" && e.Subagent == subagent && e.Model != "" {
			return payload.Name(e.Model)
		}
	}
	return ""
}

package geminihooks

import (
	"bytes"
	"encoding/json"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindow is the size of the part at the end of the session file that is searched for the model.
const modelWindow = 512 << 10

// LastModel returns the model of the last answer in a session file; "" if unknown. When a tool's hook runs, the answer
// with the call is already on disk.
func LastModel(path string) string {
	file, err := transcript.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for line := range file.Lines(modelWindow) {
		if !bytes.Contains(line, []byte(`"model"`)) {
			continue
		}
		var entry struct {
			Type  string `json:"type"`
			Model string `json:"model"`
		}
		if json.Unmarshal(line, &entry) == nil && (entry.Type == "gemini" || entry.Type == "assistant") && entry.Model != "" {
			return payload.Name(entry.Model)
		}
	}
	return ""
}

package geminihooks

import (
	"bytes"
	"encoding/json"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindow is the size of the session file's end in which the model is searched.
const modelWindow = 512 << 10

// LastModel returns the model of the last answer in a session file, "" if unknown. At a tool's hook the answer with
// the call is on disk already.
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

package claudecode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindows lists the sizes of the part at the end of the session file that is searched for the model, smallest
// first. The last size is for a line with the content of a large file.
var modelWindows = [...]int64{64 << 10, 512 << 10, 4 << 20}

// sessionFiles returns the files that may contain a conversation's lines, best first: the session's file, or a
// subagent's file in the layouts of newer and older clients.
func sessionFiles(path, subagent string) []string {
	if filepath.Ext(path) != ".jsonl" {
		return nil
	}
	if subagent == "" {
		return []string{path}
	}
	name := "agent-" + subagent + ".jsonl"
	return []string{
		filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", name),
		filepath.Join(filepath.Dir(path), name),
	}
}

// lastModel returns the model of the last answer in the session file; "" if it has none. When a tool's hook runs, the
// answer with the call is already on disk. A subagent's first answer often is not; then its description, next to its
// session file, names the first model.
func lastModel(path, subagent string) string {
	for _, path := range sessionFiles(path, subagent) {
		name := ""
		if file, err := transcript.Open(path); err == nil {
			name = modelIn(file)
			_ = file.Close()
		}
		if name == "" && subagent != "" {
			name = startedWith(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
		}
		if name != "" {
			return name
		}
	}
	return ""
}

func modelIn(file *transcript.Tail) string {
	for _, window := range modelWindows {
		for line := range file.Lines(window) {
			if name := modelOf(line); name != "" {
				return name
			}
		}
		if file.Whole(window) {
			break
		}
	}
	return ""
}

// modelOf returns the model in a session line; "" for most lines. An answer names its model; newer clients also write
// the model before the first answer and when it changes. Answers that the client itself wrote have the model
// "<synthetic>".
func modelOf(line []byte) string {
	if !bytes.Contains(line, []byte(`"model"`)) ||
		!bytes.Contains(line, []byte(`"assistant"`)) && !bytes.Contains(line, []byte(`"modelId"`)) {
		return ""
	}
	var entry struct {
		Type    string `json:"type"`
		Message struct {
			Model string `json:"model"`
		} `json:"message"`
		Attachment struct {
			Type     string `json:"type"`
			Identity struct {
				Model string `json:"modelId"`
			} `json:"identity"`
		} `json:"attachment"`
	}
	if json.Unmarshal(line, &entry) != nil {
		return ""
	}
	switch {
	case entry.Type == "assistant" && entry.Message.Model != "<synthetic>":
		return payload.Name(entry.Message.Model)
	case entry.Type == "attachment" && entry.Attachment.Type == "model":
		return payload.Name(entry.Attachment.Identity.Model)
	}
	return ""
}

// startedWith returns the model in the description of a subagent, a small file with one object.
func startedWith(path string) string {
	file, err := transcript.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for line := range file.Lines(modelWindows[0]) {
		var meta struct {
			Model string `json:"model"`
		}
		if json.Unmarshal(line, &meta) == nil {
			return payload.Name(meta.Model)
		}
	}
	return ""
}

package claudecode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// modelWindows are the sizes of the session file's end in which the model is looked for, each only when the one before
// shows no answer. The last is for a line that holds the content of a large file.
var modelWindows = [...]int64{64 << 10, 512 << 10, 4 << 20}

// sessionFiles are the files that can hold the lines of a conversation, best first: the session's own, or a subagent's in
// the layouts of newer and older clients.
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

// lastModel is the model of the last answer in the first of the files that exists, "" when none tells. At a tool's hook
// the answer that holds the call is on disk already.
func lastModel(paths []string) string {
	for _, path := range paths {
		file, err := transcript.Open(path)
		if err != nil {
			continue
		}
		name := modelIn(file)
		_ = file.Close()
		return name
	}
	return ""
}

func modelIn(file *transcript.Tail) string {
	for _, window := range modelWindows {
		for line := range file.Lines(window) {
			if name := answerModel(line); name != "" {
				return name
			}
		}
		if file.Whole(window) {
			break
		}
	}
	return ""
}

// answerModel is the model that a session line names as the author of an answer, "" for every other line. Answers that the
// client made up itself have the model "<synthetic>".
func answerModel(line []byte) string {
	if !bytes.Contains(line, []byte(`"assistant"`)) || !bytes.Contains(line, []byte(`"model"`)) {
		return ""
	}
	var answer struct {
		Type    string `json:"type"`
		Message struct {
			Model string `json:"model"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &answer) != nil || answer.Type != "assistant" || answer.Message.Model == "<synthetic>" {
		return ""
	}
	return payload.Name(answer.Message.Model)
}

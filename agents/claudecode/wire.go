package claudecode

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/git-trace/git-trace/agents/payload"
)

// wire is a hook payload with the fields of all events. It is decoded in one pass; other members are skipped without a
// copy.
type wire struct {
	payload.Fields
	NewCwd     string   `json:"new_cwd"`
	Model      model    `json:"model"`
	Background []task   `json:"background_tasks"`
	Tool       string   `json:"tool_name"`
	ToolUse    string   `json:"tool_use_id"`
	Input      input    `json:"tool_input"`
	Response   response `json:"tool_response"`
	Calls      []call   `json:"tool_calls"` // calls of PostToolBatch
	Lasted     float64  `json:"duration_ms"`
}

// call is one of the calls of an answer.
type call struct {
	Tool  string `json:"tool_name"`
	Input input  `json:"tool_input"`
}

// input is tool_input with the fields of all tools that write.
type input struct {
	FilePath string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Path     string `json:"path"` // path in inputs of tools of MCP servers
	Content  string `json:"content"`
	replacement
	Edits        []replacement `json:"edits"`
	NewSource    string        `json:"new_source"`
	Command      string        `json:"command"`
	InBackground bool          `json:"run_in_background"`
}

// replacement is an old text and the new text that replaces it.
type replacement struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

// response is tool_response with the fields of all tools that write. For a failed call, it is a text and not an object.
type response struct {
	Type          string        `json:"type"` // type of a Write: create or update
	FilePath      string        `json:"filePath"`
	Content       *string       `json:"content"`
	Old           *string       `json:"oldString"`
	New           *string       `json:"newString"`
	All           bool          `json:"replaceAll"`
	Edits         []replacement `json:"edits"`
	Original      *string       `json:"originalFile"`
	OriginalMulti *string       `json:"originalFileContents"`
	OriginalBook  *string       `json:"original_file"`
	UpdatedBook   *string       `json:"updated_file"`
	OldSource     string        `json:"old_source"`
	NewSource     *string       `json:"new_source"`
	UserModified  bool          `json:"userModified"`
	Error         string        `json:"error"`
	TaskID        string        `json:"backgroundTaskId"`
}

// task is an entry of background_tasks.
type task struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// model is the name of a model, given as a text or as an object with the model's id.
type model string

// UnmarshalJSON reads the name from a text, or from an object with the id.
func (m *model) UnmarshalJSON(data []byte) error {
	var object struct {
		ID string `json:"id"`
	}
	var text string
	if json.Unmarshal(data, &text) != nil && json.Unmarshal(data, &object) == nil {
		text = object.ID
	}
	*m = model(payload.Name(text))
	return nil
}

// `snaked` returns a payload with its keys in snake case: similar clients write them in camel case.
func snaked(data []byte) []byte {
	text, err := payload.UTF8(data)
	if err != nil || !bytes.Contains(text, []byte(`"sessionId"`)) {
		return data
	}
	var own struct {
		Session string `json:"session_id"`
	}
	if _ = json.Unmarshal(text, &own); own.Session != "" {
		return text
	}
	return snakeKeys(text)
}

// snakeKeys returns an object with the keys of its fields and of the fields of its tool input in snake case. A tool's
// response has camel case in Claude's own payload too, and is unchanged.
func snakeKeys(object []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	renamed := make(map[string]json.RawMessage, len(fields))
	for key, value := range fields {
		if key = snake(key); key == "tool_input" {
			value = snakeKeys(value)
		}
		renamed[key] = value
	}
	out, err := json.Marshal(renamed)
	if err != nil {
		return object
	}
	return out
}

func snake(key string) string {
	out := make([]byte, 0, len(key)+4)
	for i := range len(key) {
		c := key[i]
		if 'A' <= c && c <= 'Z' {
			out = append(out, '_')
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(out)
}

// path returns the file that the tool has to write.
func (in *input) path() string { return cmp.Or(in.FilePath, in.Notebook) }

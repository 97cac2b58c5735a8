package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/agents/payload"
)

// wire is a hook payload with the fields of all events, as Claude writes them and, for each, in the camel case that its
// relatives use. The whole of it is decoded in one pass; what is not named here is skipped without a copy.
type wire struct {
	Event          string `json:"hook_event_name"`
	EventCamel     string `json:"hookEventName"`
	Session        string `json:"session_id"`
	SessionCamel   string `json:"sessionId"`
	Transcript     string `json:"transcript_path"`
	TransCamel     string `json:"transcriptPath"`
	Cwd            string `json:"cwd"`
	NewCwd         string `json:"new_cwd"`
	NewCwdCamel    string `json:"newCwd"`
	Agent          string `json:"agent_id"`
	AgentCamel     string `json:"agentId"`
	AgentType      string `json:"agent_type"`
	AgentTypeCamel string `json:"agentType"`
	Model          model  `json:"model"`
	Source         string `json:"source"`
	Reason         string `json:"reason"`
	Trigger        string `json:"trigger"`
	Prompt         string `json:"prompt"`
	PromptID       string `json:"prompt_id"`
	PromptIDCamel  string `json:"promptId"`
	Background     []task `json:"background_tasks"`
	BackCamel      []task `json:"backgroundTasks"`

	Tool          string   `json:"tool_name"`
	ToolCamel     string   `json:"toolName"`
	ToolUse       string   `json:"tool_use_id"`
	ToolUseCamel  string   `json:"toolUseId"`
	Input         input    `json:"tool_input"`
	InputCamel    input    `json:"toolInput"`
	Response      response `json:"tool_response"`
	ResponseCamel response `json:"toolResponse"`
}

// input is tool_input with the fields of all tools that write.
type input struct {
	FilePath      string `json:"file_path"`
	FilePathCamel string `json:"filePath"`
	Notebook      string `json:"notebook_path"`
	NotebookCamel string `json:"notebookPath"`
	Path          string `json:"path"`
	Content       string `json:"content"`
	replacement
	Edits         []replacement `json:"edits"`
	NewSource     string        `json:"new_source"`
	NewSourceAlt  string        `json:"newSource"`
	Command       string        `json:"command"`
	InBackground  bool          `json:"run_in_background"`
	BackgroundAlt bool          `json:"runInBackground"`
}

// replacement is one old text and its new one.
type replacement struct {
	Old      string `json:"old_string"`
	OldCamel string `json:"oldString"`
	New      string `json:"new_string"`
	NewCamel string `json:"newString"`
	All      bool   `json:"replace_all"`
	AllCamel bool   `json:"replaceAll"`
}

// response is tool_response with the fields of all tools that write. It is text instead of an object for calls that failed.
type response struct {
	Type          string        `json:"type"` // of a Write: create or update
	FilePath      string        `json:"filePath"`
	FilePathSnake string        `json:"file_path"`
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

// model is a model's name, given as text or as an object with its id.
type model string

// UnmarshalJSON takes either form and nothing else.
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

// parse decodes a payload. A field of an unexpected type counts as absent: fields are independent, and tools of other
// vendors give the same names to other things. The depth is limited by encoding/json.
func parse(data []byte) (*wire, error) {
	data, err := payload.UTF8(data)
	if err != nil {
		return nil, err
	}
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return nil, errors.New("payload is not a JSON object")
	}
	w := new(wire)
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(data, w); err != nil && !errors.As(err, &wrongType) {
		return nil, fmt.Errorf("payload is not JSON: %w", err)
	}
	w.fold()
	return w, nil
}

// fold takes the camel-case form of every field that has no other.
func (w *wire) fold() {
	w.Event = either(w.Event, w.EventCamel)
	w.Session = either(w.Session, w.SessionCamel)
	w.Transcript = either(w.Transcript, w.TransCamel)
	w.NewCwd = either(w.NewCwd, w.NewCwdCamel)
	w.Agent = either(w.Agent, w.AgentCamel)
	w.AgentType = either(w.AgentType, w.AgentTypeCamel)
	w.PromptID = either(w.PromptID, w.PromptIDCamel)
	w.Tool = either(w.Tool, w.ToolCamel)
	w.ToolUse = either(w.ToolUse, w.ToolUseCamel)
	if w.Background == nil {
		w.Background = w.BackCamel
	}
}

func (in *input) path() string {
	return either(either(in.FilePath, in.FilePathCamel), either(in.Notebook, in.NotebookCamel))
}

func (r *replacement) old() string { return either(r.Old, r.OldCamel) }
func (r *replacement) new() string { return either(r.New, r.NewCamel) }
func (r *replacement) all() bool   { return r.All || r.AllCamel }

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

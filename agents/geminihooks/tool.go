package geminihooks

import (
	"encoding/json"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// Call is the part of a hook's payload that describes a tool call.
type Call struct {
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response response        `json:"tool_response"`
}

// input is tool_input with the fields of all tools that write.
type input struct {
	File       string `json:"file_path"`
	Notebook   string `json:"notebook_path"`
	Path       string `json:"path"`
	Content    string `json:"content"`
	Old        string `json:"old_string"`
	New        string `json:"new_string"`
	Command    string `json:"command"`
	Dir        string `json:"directory"` // older: dir_path
	DirPath    string `json:"dir_path"`
	Background bool   `json:"is_background"`
}

// response is tool_response; returnDisplay is an object for tools that wrote a file and text for all others.
type response struct {
	Display struct {
		File   string  `json:"filePath"`
		Before *string `json:"originalContent"`
		After  *string `json:"newContent"`
	} `json:"returnDisplay"`
	Error json.RawMessage `json:"error"`
}

// Failed tells whether the tool reports that it failed.
func (c *Call) Failed() bool { return len(c.Response.Error) > 0 && string(c.Response.Error) != "null" }

// Describe makes what the timeline needs of a call, without an id. Whole contents are given after the call, where the client
// reports them.
func (c *Call) Describe(kind events.BoundaryKind, cwd, home string) *events.ToolUse {
	var in input
	_ = json.Unmarshal(c.Input, &in) // a field of another type is an absent one
	tool := &events.ToolUse{Name: payload.Name(c.Tool), Class: classOf(c.Tool)}
	path := payload.Path(first(in.File, in.Notebook, in.Path), cwd, home)
	switch tool.Class {
	case events.ToolEdits:
		if path == "" { // nothing says where it writes
			tool.Class = events.ToolUnknown
			break
		}
		edit := events.DeclaredEdit{Path: path, Old: in.Old, New: in.New + in.Content}
		if display := &c.Response.Display; kind == events.ToolAfter && payload.Path(display.File, cwd, home) == path {
			edit.Before, edit.After = display.Before, display.After
		}
		tool.Paths, tool.Edits = []string{path}, []events.DeclaredEdit{edit}
	case events.ToolRuns:
		dir := payload.Path(first(in.Dir, in.DirPath), cwd, home)
		if dir == "" {
			dir = cwd
		}
		payload.Command(tool, in.Command, dir, home)
		tool.Background = in.Background
	case events.ToolUnknown:
		if path != "" {
			tool.Hints = []string{path}
		}
	case events.ToolReads:
	}
	return tool
}

// Edited names the files that some calls edited; nil if they edited none.
func Edited(calls []Call, cwd, home string) *events.ToolUse {
	var out *events.ToolUse
	for i := range calls {
		if classOf(calls[i].Tool) != events.ToolEdits {
			continue
		}
		if tool := calls[i].Describe(events.ToolsEnd, cwd, home); len(tool.Paths) > 0 {
			if out == nil {
				out = &events.ToolUse{Class: events.ToolEdits}
			}
			out.Paths = append(out.Paths, tool.Paths...)
		}
	}
	return out
}

// Fingerprint stands for the id of a call that has none.
func (c *Call) Fingerprint() string { return payload.Fingerprint(c.Tool, c.Input) }

// classOf says what a tool can do to a work tree. Tools of MCP servers and tools that this list does not know may write
// anywhere. The tools for sub-agents are readers on purpose: what a sub-agent writes is reported by its own calls.
func classOf(tool string) events.ToolClass {
	switch strings.ToLower(tool) {
	case "replace", "edit", "write_file", "notebook_edit":
		return events.ToolEdits
	case "run_shell_command", "shell":
		return events.ToolRuns
	case "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "grep", "ripgrep",
		"google_web_search", "web_search", "web_fetch", "write_todos", "todo_write", "get_internal_docs", "ask_user",
		"ask_user_question", "activate_skill", "skill", "enter_plan_mode", "exit_plan_mode", "task", "agent", "invoke_agent",
		"codebase_investigator", "cli_help", "complete_task", "update_topic", "lsp", "tool_search":
		return events.ToolReads
	}
	return events.ToolUnknown
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

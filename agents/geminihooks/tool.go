package geminihooks

import (
	"cmp"
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
	Dir        string `json:"directory"` // older versions: dir_path
	DirPath    string `json:"dir_path"`
	Background bool   `json:"is_background"`
	// Modified is true if a person changed the model's text before they allowed the tool to write.
	Modified bool    `json:"modified_by_user"`
	Proposed *string `json:"ai_proposed_content"`
}

// response is tool_response; returnDisplay is an object for tools that wrote a file, and a text for all others.
type response struct {
	Display struct {
		File   string  `json:"filePath"`
		Before *string `json:"originalContent"`
		After  *string `json:"newContent"`
	} `json:"returnDisplay"`
	Error json.RawMessage `json:"error"`
}

// Failed reports whether the tool reports a failure.
func (c *Call) Failed() bool { return len(c.Response.Error) > 0 && string(c.Response.Error) != "null" }

// Describe adds the call to a boundary. After the call, it also adds whole contents if the client reports them.
func (c *Call) Describe(b *events.Boundary, id, home string) *events.ToolUse {
	var in input
	_ = json.Unmarshal(c.Input, &in) // a field of another type counts as missing
	call := payload.Call{
		ID: id, Name: c.Tool, Class: classOf(c.Tool), Input: &c.Input,
		Path: cmp.Or(in.File, in.Notebook, in.Path), Command: in.Command, Dir: cmp.Or(in.Dir, in.DirPath),
	}
	edit := events.DeclaredEdit{Old: in.Old, New: in.New + in.Content}
	path := payload.Path(call.Path, b.Cwd, home)
	if display := &c.Response.Display; b.Kind == events.ToolAfter && payload.Path(display.File, b.Cwd, home) == path {
		edit.Before, edit.After = display.Before, display.After
	}
	if in.Modified {
		edit.Proposed = in.Proposed
	}
	call.Edits = []events.DeclaredEdit{edit}
	tool := call.Describe(b, home)
	tool.Background = in.Background && call.Class == events.ToolRuns
	return tool
}

// Edited returns the files that some calls edited; nil if there are none.
func Edited(calls []Call, cwd, home string) *events.ToolUse {
	var out *events.ToolUse
	for i := range calls {
		if classOf(calls[i].Tool) != events.ToolEdits {
			continue
		}
		if tool := calls[i].Describe(&events.Boundary{Kind: events.ToolsEnd, Cwd: cwd}, "", home); len(tool.Paths) > 0 {
			if out == nil {
				out = &events.ToolUse{Class: events.ToolEdits}
			}
			out.Paths = append(out.Paths, tool.Paths...)
		}
	}
	return out
}

// tools lists the built-in tools of Gemini CLI and similar clients, in upper or lower case.
var tools = payload.Tools{
	{events.ToolEdits, []string{"replace", "edit", "write_file", "notebook_edit"}},
	{events.ToolRuns, []string{"run_shell_command", "shell"}},
	{events.ToolReads, []string{
		"read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "grep", "ripgrep",
		"google_web_search", "web_search", "web_fetch", "write_todos", "todo_write", "get_internal_docs", "ask_user",
		"ask_user_question", "activate_skill", "skill", "enter_plan_mode", "exit_plan_mode", "task", "agent", "invoke_agent",
		"codebase_investigator", "cli_help", "complete_task", "update_topic", "lsp", "tool_search",
	}},
}

func classOf(tool string) events.ToolClass { return tools.Class(strings.ToLower(tool)) }

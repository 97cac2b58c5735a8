package copilotcli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// call is the part of a payload that describes a tool call.
type call struct {
	Tool string          `json:"toolName"`
	Args json.RawMessage `json:"toolArgs"`
}

// arguments has the fields of all tools that write.
type arguments struct {
	Path    string `json:"path"`
	Text    string `json:"file_text"`
	Old     string `json:"old_str"`
	New     string `json:"new_str"`
	Command string `json:"command"` // the action of str_replace_editor: view, create, str_replace, insert
	Mode    string `json:"mode"`
	Patch   string `json:"input"`
}

// describe adds the call to a boundary. The call has no id, so its content identifies it.
func (c *call) describe(b *events.Boundary, home string) *events.ToolUse {
	raw := c.Args
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" { // older versions: JSON as text; for apply_patch, the patch itself
		raw = json.RawMessage(text)
	}
	var in arguments
	if json.Unmarshal(raw, &in) != nil && c.Tool == "apply_patch" {
		in.Patch = text
	}
	use := payload.Call{
		Name: c.Tool, Class: tools.Class(c.Tool), Input: &raw, Path: in.Path, Command: in.Command,
		Edits: []events.DeclaredEdit{{Old: in.Old, New: in.New + in.Text}},
	}
	if c.Tool == "str_replace_editor" && in.Command == "view" {
		use.Class = events.ToolReads
	}
	if use.Class == events.ToolEdits && strings.Contains(in.Patch, "*** Begin Patch") {
		use.Path = ""
		use.Paths, use.Edits = applypatch.Declare(in.Patch, b.Cwd, home)
	}
	tool := use.Describe(b, home)
	tool.Background = use.Class == events.ToolRuns && slices.Contains([]string{"async", "detached"}, in.Mode)
	return tool
}

// tools lists the built-in tools of Copilot CLI.
var tools = payload.Tools{
	{events.ToolEdits, []string{"edit", "create", "str_replace_editor", "apply_patch"}},
	{events.ToolRuns, []string{"bash", "powershell", "write_bash", "write_powershell"}},
	{events.ToolReads, []string{
		"view", "grep", "rg", "glob", "read_bash", "list_bash", "stop_bash", "read_powershell", "list_powershell",
		"stop_powershell",
		"web_fetch", "web_search", "report_intent", "update_todo", "task", "read_agent", "list_agents", "write_agent",
		"skill", "sql",
		"ask_user", "exit_plan_mode", "store_memory", "fetch_copilot_cli_documentation",
	}},
}

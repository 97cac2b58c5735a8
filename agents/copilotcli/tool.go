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

// arguments are the fields of all tools that write.
type arguments struct {
	Path    string `json:"path"`
	Text    string `json:"file_text"`
	Old     string `json:"old_str"`
	New     string `json:"new_str"`
	Command string `json:"command"` // of str_replace_editor what it does: view, create, str_replace, insert
	Mode    string `json:"mode"`
	Patch   string `json:"input"`
}

// describe makes what the timeline needs of a call. There is no id; its content stands for one.
func (c *call) describe(cwd, home string) *events.ToolUse {
	raw := c.Args
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" { // older versions: JSON as text; for apply_patch the patch itself
		raw = json.RawMessage(text)
	}
	var in arguments
	if json.Unmarshal(raw, &in) != nil && c.Tool == "apply_patch" {
		in.Patch = text
	}
	tool := &events.ToolUse{Name: payload.Name(c.Tool), Class: classOf(c.Tool), Fingerprint: payload.Fingerprint(c.Tool, raw)}
	if c.Tool == "str_replace_editor" && in.Command == "view" {
		tool.Class = events.ToolReads
	}
	path := payload.Path(in.Path, cwd, home)
	switch tool.Class {
	case events.ToolEdits:
		if strings.Contains(in.Patch, "*** Begin Patch") {
			tool.Paths, tool.Edits = applypatch.Declare(in.Patch, cwd, home)
		} else if path != "" {
			tool.Paths = []string{path}
			tool.Edits = []events.DeclaredEdit{{Path: path, Old: in.Old, New: in.New + in.Text}}
		}
		if len(tool.Paths) == 0 { // nothing says where it writes
			tool.Class = events.ToolUnknown
		}
	case events.ToolRuns:
		payload.Command(tool, in.Command, cwd, home)
		tool.Background = slices.Contains([]string{"async", "detached"}, in.Mode)
	case events.ToolUnknown:
		if path != "" {
			tool.Hints = []string{path}
		}
	case events.ToolReads:
	}
	return tool
}

// classOf says what a tool can do to a work tree. Tools of MCP servers and tools that this list does not know may write
// anywhere. The tools for sub-agents are readers on purpose: what a sub-agent writes is reported by its own calls.
func classOf(tool string) events.ToolClass {
	switch tool {
	case "edit", "create", "str_replace_editor", "apply_patch":
		return events.ToolEdits
	case "bash", "powershell", "write_bash", "write_powershell":
		return events.ToolRuns
	case "view", "grep", "rg", "glob", "read_bash", "list_bash", "stop_bash", "read_powershell", "list_powershell", "stop_powershell",
		"web_fetch", "web_search", "report_intent", "update_todo", "task", "read_agent", "list_agents", "write_agent", "skill", "sql",
		"ask_user", "exit_plan_mode", "store_memory", "fetch_copilot_cli_documentation":
		return events.ToolReads
	}
	return events.ToolUnknown
}

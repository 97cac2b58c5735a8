package copilotcli

import (
	"encoding/json"

	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
)

// call is the part of a payload that describes a tool call.
type call struct {
	Tool string          `json:"toolName"`
	Args json.RawMessage `json:"toolArgs"`
}

// describe adds the call to a boundary. The call has no id, so its content identifies it.
func (c *call) describe(b *events.Boundary, home string) *events.ToolUse {
	input := inputOf(c.Args)
	tool := tools.Describe(b, "", c.Tool, input, home)
	mode := rawjson.MemberText(input, "mode")
	tool.Background = tool.Class == events.ToolRuns && (mode == "async" || mode == "detached")
	return tool
}

// tools lists the built-in tools of Copilot CLI.
var tools = toolcall.Tools{
	"edit": toolcall.Replaces, "create": toolcall.Writes, "str_replace_editor": toolcall.Edits,
	"apply_patch": toolcall.Patches, "bash": toolcall.Runs, "powershell": toolcall.Runs,
	"write_bash": toolcall.Runs, "write_powershell": toolcall.Runs,
	"view": toolcall.Looks, "grep": toolcall.Looks, "rg": toolcall.Looks, "glob": toolcall.Looks,
	"read_bash": toolcall.Looks, "list_bash": toolcall.Looks, "stop_bash": toolcall.Looks,
	"read_powershell": toolcall.Looks, "list_powershell": toolcall.Looks, "stop_powershell": toolcall.Looks,
	"web_fetch": toolcall.Looks, "web_search": toolcall.Looks, "report_intent": toolcall.Looks,
	"update_todo": toolcall.Looks, "task": toolcall.Looks, "read_agent": toolcall.Looks,
	"list_agents": toolcall.Looks, "write_agent": toolcall.Looks, "skill": toolcall.Looks, "sql": toolcall.Looks,
	"ask_user": toolcall.Looks, "exit_plan_mode": toolcall.Looks, "store_memory": toolcall.Looks,
	"fetch_copilot_cli_documentation": toolcall.Looks,
}

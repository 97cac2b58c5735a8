package codexcli

import (
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// tools lists the built-in tools of Codex.
var tools = payload.Tools{
	{events.ToolEdits, []string{"apply_patch"}},
	{events.ToolRuns, []string{"Bash", "shell", "local_shell", "exec_command"}},
	{events.ToolReads, []string{
		"update_plan", "view_image", "web_search", "read_file", "list_dir", "grep_files", "tool_search", "request_user_input",
		"spawn_agent", "send_input", "send_message", "wait", "wait_agent", "close_agent", "resume_agent", "list_agents",
		"followup_task", "interrupt_agent",
	}},
}

// classOf returns the class of a tool: its possible effects on a work tree.
func classOf(tool string) events.ToolClass {
	if rest, found := strings.CutPrefix(tool, "collaboration"); found { // the name space stands before the name
		tool = strings.TrimLeft(rest, "_.")
	}
	return tools.Class(tool)
}

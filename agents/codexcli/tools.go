package codexcli

import (
	"strings"

	"github.com/git-trace/git-trace/events"
)

// classOf says what a tool can do to a work tree. Tools of MCP servers and tools that this list does not know may write
// anywhere. The tools for sub-agents are readers on purpose: what a sub-agent writes is reported by its own calls.
func classOf(tool string) events.ToolClass {
	switch tool {
	case "apply_patch":
		return events.ToolEdits
	case "Bash", "shell", "local_shell", "exec_command":
		return events.ToolRuns
	case "update_plan", "view_image", "web_search", "read_file", "list_dir", "grep_files", "tool_search", "request_user_input",
		"spawn_agent", "send_input", "send_message", "wait", "wait_agent", "close_agent", "resume_agent", "list_agents",
		"followup_task", "interrupt_agent":
		return events.ToolReads
	}
	if rest, found := strings.CutPrefix(tool, "collaboration"); found { // the name space stands before the name
		return classOf(strings.TrimLeft(rest, "_."))
	}
	return events.ToolUnknown
}

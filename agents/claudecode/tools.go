package claudecode

import "github.com/git-trace/git-trace/events"

// classOf says what a tool can do to a work tree. The names are those of all versions since 1.0. Tools of MCP servers and
// tools that this list does not know may write anywhere.
//
// Agent and Task are readers on purpose: what a subagent writes is reported by its own tool calls, and a window over the
// whole subagent would overlap each of theirs. The same holds for Skill and SlashCommand, which only load text.
func classOf(tool string) events.ToolClass {
	switch tool {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		return events.ToolEdits
	case "Bash", "PowerShell":
		return events.ToolRuns
	case "Read", "NotebookRead", "Glob", "Grep", "LS", "LSP",
		"WebFetch", "WebSearch",
		"BashOutput", "KillShell", "KillBash", "TaskOutput", "AgentOutputTool", "TaskStop",
		"TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
		"Agent", "Task", "SendMessage",
		"Skill", "SlashCommand", "ToolSearch",
		"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "exit_plan_mode",
		"ListMcpResourcesTool", "ReadMcpResourceTool":
		return events.ToolReads
	}
	return events.ToolUnknown
}

package claudecode

import (
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// tools lists the built-in tools of Claude Code, with the names of all versions since 1.0. Skill and SlashCommand only
// load text, and the work tree tools only change the directory.
var tools = payload.Tools{
	{events.ToolEdits, []string{"Edit", "MultiEdit", "Write", "NotebookEdit"}},
	{events.ToolRuns, []string{"Bash", "PowerShell"}},
	{events.ToolReads, []string{
		"Read", "NotebookRead", "Glob", "Grep", "LS", "LSP",
		"WebFetch", "WebSearch",
		"BashOutput", "KillShell", "KillBash", "TaskOutput", "AgentOutputTool", "TaskStop",
		"TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
		"Agent", "Task", "SendMessage",
		"Skill", "SlashCommand", "ToolSearch",
		"EnterWorktree", "ExitWorktree",
		"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "exit_plan_mode",
		"ListMcpResourcesTool", "ReadMcpResourceTool",
	}},
}

package codexcli

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "UserPromptSubmit", Kind: events.PromptSubmit},
	{Name: "PreToolUse", Kind: events.ToolBefore},
	{Name: "PermissionRequest", Kind: events.ConsentAsked},
	{Name: "PostToolUse", Kind: events.ToolAfter},
	{Name: "SubagentStart", Kind: events.SubagentStart},
	{Name: "SubagentStop", Kind: events.SubagentEnd},
	{Name: "PreCompact", Kind: events.Compaction},
	{Name: "PostCompact", Kind: events.Compaction},
	{Name: "Stop", Kind: events.TurnEnd},
	{Name: "Interrupt", Kind: events.TurnEnd},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// wire is a hook payload with the fields of all events.
type wire struct {
	payload.Fields
	Turn    string `json:"turn_id"`
	Tool    string `json:"tool_name"`
	ToolUse string `json:"tool_use_id"`
	Input   struct {
		Command string `json:"command"` // for a patch, its text
		Path    string `json:"path"`    // for tools of MCP servers
		File    string `json:"file_path"`
	} `json:"tool_input"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill, End: c.settle}
}

func fields(w *wire) payload.Fields {
	w.PromptID = w.Turn
	return w.Fields
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if !payload.OfCall(b.Kind) {
		return true
	}
	call := payload.Call{ID: w.ToolUse, Name: w.Tool, Class: classOf(w.Tool), Command: w.Input.Command}
	patch, dir, patched := w.Input.Command, b.Cwd, call.Class == events.ToolEdits
	switch call.Class {
	case events.ToolRuns:
		patch, dir, patched = applypatch.Command(w.Input.Command, b.Cwd, c.env.Home)
	case events.ToolUnknown:
		call.Path = cmp.Or(w.Input.File, w.Input.Path)
	}
	if patched {
		call.Class = events.ToolEdits
		call.Paths, call.Edits = applypatch.Declare(patch, dir, c.env.Home)
		for i := range call.Edits {
			call.Edits[i].Exact = b.Kind == events.ToolAfter
		}
	}
	call.Describe(b, c.env.Home)
	payload.NeedModel(b)
	return true
}

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
	if rest, found := strings.CutPrefix(tool, "collaboration"); found { // the namespace precedes the name
		tool = strings.TrimLeft(rest, "_.")
	}
	return tools.Class(tool)
}

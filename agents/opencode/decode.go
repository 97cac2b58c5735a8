package opencode

import (
	"strconv"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the plugin's events, with OpenCode's names; tool.failed is derived from message.part.updated.
var kinds = payload.Events{
	{Name: "session.created", Kind: events.SessionStart},
	{Name: "chat.message", Kind: events.PromptSubmit},
	{Name: "tool.execute.before", Kind: events.ToolBefore},
	{Name: "permission.asked", Kind: events.ConsentAsked},
	{Name: "tool.execute.after", Kind: events.ToolAfter},
	{Name: "tool.failed", Kind: events.ToolFailed},
	{Name: "session.idle", Kind: events.TurnEnd},
}

// wire is a message of the plugin.
type wire struct {
	Session  string  `json:"session_id"`
	Subagent string  `json:"subagent_id"`
	Cwd      string  `json:"cwd"`
	Model    string  `json:"model"`
	Prompt   string  `json:"prompt"`
	PromptID string  `json:"prompt_id"`
	Tool     string  `json:"tool_name"`
	CallID   string  `json:"call_id"`
	Input    input   `json:"input"`
	Lasted   float64 `json:"duration_ms"` // since consent was given
	Rejected bool    `json:"rejected"`    // the person rejected the call
	PID      int     `json:"pid"`         // process id of the client
}

// input is a tool's input with the fields of all tools that write.
type input struct {
	Path    string `json:"filePath"`
	Content string `json:"content"`
	Old     string `json:"oldString"`
	New     string `json:"newString"`
	Patch   string `json:"patchText"`
	Command string `json:"command"`
	Dir     string `json:"workdir"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill}
}

func fields(w *wire) payload.Fields {
	return payload.Fields{
		Session: w.Session, Subagent: w.Subagent, Model: w.Model, Cwd: w.Cwd, Source: "startup", Prompt: w.Prompt, PID: w.PID,
	}
}

// fill distinguishes the sessions of subagents from others, because OpenCode reports both in the same way.
func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if b.Process != 0 {
		b.Mark = "OPENCODE_PID=" + strconv.Itoa(b.Process)
	}
	switch {
	case b.Subagent != "" && b.Kind == events.SessionStart:
		b.Kind, b.Source = events.SubagentStart, ""
	case b.Subagent != "" && b.Kind == events.TurnEnd:
		b.Kind = events.SubagentEnd
	case b.Kind == events.PromptSubmit:
		b.Prompt.ID = payload.Name(w.PromptID)
	case payload.OfCall(b.Kind):
		c.fillTool(b, w)
	}
	return true
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	call := payload.Call{
		ID: w.CallID, Name: w.Tool, Class: tools.Class(w.Tool), Path: w.Input.Path, Command: w.Input.Command,
		Dir:   w.Input.Dir,
		Edits: []events.DeclaredEdit{{Old: w.Input.Old, New: w.Input.New + w.Input.Content}},
	}
	if call.Class == events.ToolEdits && w.Input.Patch != "" {
		call.Path = ""
		call.Paths, call.Edits = applypatch.Declare(w.Input.Patch, b.Cwd, c.env.Home)
	}
	tool := call.Describe(b, c.env.Home)
	tool.Rejected = w.Rejected
	if tool.Class == events.ToolRuns {
		tool.Lasted = payload.Milliseconds(w.Lasted)
	}
	payload.NeedModel(b)
}

// tools lists the built-in tools of OpenCode.
var tools = payload.Tools{
	{events.ToolEdits, []string{"edit", "write", "multiedit", "patch", "apply_patch"}},
	{events.ToolRuns, []string{"bash"}},
	{events.ToolReads, []string{
		"read", "grep", "glob", "list", "ls", "codesearch", "webfetch", "websearch", "todowrite", "todoread", "task", "skill",
		"question", "plan_enter", "plan_exit", "lsp",
	}},
}

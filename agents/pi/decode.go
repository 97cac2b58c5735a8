package pi

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists Pi's events that the extension reports.
var kinds = payload.Events{
	{Name: "session_start", Kind: events.SessionStart},
	{Name: "before_agent_start", Kind: events.PromptSubmit},
	{Name: "tool_call", Kind: events.ToolBefore},
	{Name: "tool_result", Kind: events.ToolAfter},
	{Name: "tool_execution_end", Kind: events.ToolFailed},
	{Name: "agent_end", Kind: events.TurnEnd},
	{Name: "session_shutdown", Kind: events.SessionEnd},
}

// wire is a message of the extension.
type wire struct {
	Session string `json:"session_id"`
	File    string `json:"session_file"`
	Cwd     string `json:"cwd"`
	Model   string `json:"model"`
	Reason  string `json:"reason"`
	Prompt  string `json:"prompt"`
	Tool    string `json:"tool_name"`
	CallID  string `json:"tool_call_id"`
	IsError bool   `json:"is_error"`
	Input   input  `json:"input"`
	PID     int    `json:"pid"` // the client's process id
}

// input is a tool's input with the fields of all tools that write.
type input struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Command string `json:"command"`
	replacement
	Edits []replacement `json:"edits"`
}

// replacement is an old text and the new text that replaces it; older versions have a single one next to the path.
type replacement struct {
	Old string `json:"oldText"`
	New string `json:"newText"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill}
}

func fields(w *wire) payload.Fields {
	return payload.Fields{
		Session: w.Session, Model: w.Model, Cwd: w.Cwd, Transcript: w.File, Source: w.Reason, Reason: w.Reason,
		Prompt: w.Prompt, PID: w.PID,
	}
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if !payload.OfCall(b.Kind) {
		return true
	}
	if w.IsError {
		b.Kind = events.ToolFailed
	}
	payload.Call{
		ID: w.CallID, Name: w.Tool, Class: tools.Class(w.Tool), Path: w.Input.Path, Command: w.Input.Command,
		Edits: declare(w.Tool, &w.Input),
	}.Describe(b, c.env.Home)
	payload.NeedModel(b)
	return true
}

func declare(tool string, in *input) []events.DeclaredEdit {
	if tool == "write" {
		return []events.DeclaredEdit{{New: in.Content}}
	}
	steps := in.Edits
	if in.Old != "" || in.New != "" {
		steps = append([]replacement{in.replacement}, steps...)
	}
	edits := make([]events.DeclaredEdit, len(steps))
	for i, step := range steps {
		edits[i] = events.DeclaredEdit{Old: step.Old, New: step.New}
	}
	return edits
}

// tools lists the built-in tools of Pi.
var tools = payload.Tools{
	{events.ToolEdits, []string{"edit", "write"}},
	{events.ToolRuns, []string{"bash", "powershell"}},
	{events.ToolReads, []string{"read", "grep", "find", "ls", "git_trace"}},
}

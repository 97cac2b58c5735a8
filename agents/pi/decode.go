package pi

import (
	"encoding/json"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/toolcall"
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
	payload.Fields
	File    string          `json:"session_file"`
	Tool    string          `json:"tool_name"`
	CallID  string          `json:"tool_call_id"`
	IsError bool            `json:"is_error"`
	Input   json.RawMessage `json:"input"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill}
}

func fields(w *wire) payload.Fields {
	w.Transcript, w.Source = w.File, w.Reason
	return w.Fields
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if !payload.OfCall(b.Kind) {
		return true
	}
	if w.IsError {
		b.Kind = events.ToolFailed
	}
	tools.Describe(b, w.CallID, w.Tool, w.Input, c.env.Home)
	payload.NeedModel(b)
	return true
}

// tools lists the built-in tools of Pi.
var tools = toolcall.Tools{
	"read": toolcall.Reads, "edit": toolcall.Replaces, "write": toolcall.Writes,
	"bash": toolcall.Runs, "powershell": toolcall.Runs,
	"grep": toolcall.Looks, "find": toolcall.Looks, "ls": toolcall.Looks, "git_trace": toolcall.Looks,
}

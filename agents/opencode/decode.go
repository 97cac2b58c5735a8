package opencode

import (
	"encoding/json"
	"strconv"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/toolcall"
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
	payload.Fields
	Agent    string  `json:"subagent_id"`
	Tool     string  `json:"tool_name"`
	CallID   string  `json:"call_id"`
	Lasted   float64 `json:"duration_ms"` // since consent was given
	Rejected bool    `json:"rejected"`    // the person rejected the call

	Input json.RawMessage `json:"input"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill}
}

func fields(w *wire) payload.Fields {
	f := w.Fields
	f.Subagent, f.Source, f.PromptID = w.Agent, "startup", "" // fill sets the id
	return f
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
	tool := tools.Describe(b, w.CallID, w.Tool, w.Input, c.env.Home)
	tool.Rejected = w.Rejected
	if tool.Class == events.ToolRuns {
		tool.Lasted = payload.Milliseconds(w.Lasted)
	}
	payload.NeedModel(b)
}

// tools lists the built-in tools of OpenCode.
var tools = toolcall.Tools{
	"read": toolcall.Reads, "edit": toolcall.Replaces, "multiedit": toolcall.Replaces, "write": toolcall.Writes,
	"patch": toolcall.Patches, "apply_patch": toolcall.Patches, "bash": toolcall.Runs,
	"grep": toolcall.Looks, "glob": toolcall.Looks, "list": toolcall.Looks, "ls": toolcall.Looks,
	"codesearch": toolcall.Looks, "webfetch": toolcall.Looks, "websearch": toolcall.Looks, "todowrite": toolcall.Looks,
	"todoread": toolcall.Looks, "task": toolcall.Looks, "skill": toolcall.Looks, "question": toolcall.Looks,
	"plan_enter": toolcall.Looks, "plan_exit": toolcall.Looks, "lsp": toolcall.Looks,
}

package qwencode

import (
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "UserPromptSubmit", Kind: events.PromptSubmit},
	{Name: "PreToolUse", Kind: events.ToolBefore},
	{Name: "PostToolUse", Kind: events.ToolAfter},
	{Name: "PostToolUseFailure", Kind: events.ToolFailed},
	{Name: "PostToolBatch", Kind: events.ToolsEnd},
	{Name: "SubagentStart", Kind: events.SubagentStart},
	{Name: "SubagentStop", Kind: events.SubagentEnd},
	{Name: "PreCompact", Kind: events.Compaction},
	{Name: "Stop", Kind: events.TurnEnd},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// wire is a hook payload with the fields of all events.
type wire struct {
	payload.Fields
	geminihooks.Call
	CallID string             `json:"tool_call_id"`
	UseID  string             `json:"tool_use_id"`
	Calls  []geminihooks.Call `json:"tool_calls"` // calls of PostToolBatch

	Lasted float64 `json:"duration_ms"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: (*wire).Same, Fill: c.fill}
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	switch {
	case b.Kind == events.PromptSubmit:
		return strings.TrimSpace(w.Prompt) != "" // otherwise the results of tools go to the model
	case b.Kind == events.ToolsEnd:
		b.Tool = geminihooks.Edited(w.Calls, b.Cwd, c.env.Home)
		return b.Tool != nil // otherwise nothing was edited
	case payload.OfCall(b.Kind):
		c.fillTool(b, w)
	}
	return true
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	id := w.CallID
	if !payload.CallID(id) {
		id = w.UseID
	}
	tool := w.Describe(b, id, c.env.Home)
	if tool.Class == events.ToolReads {
		return
	}
	if tool.Class == events.ToolRuns {
		tool.Lasted = payload.Milliseconds(w.Lasted)
	}
	if b.Model == "" {
		b.Model = lastModel(b.Transcript, b.Subagent)
	}
	payload.NeedModel(b)
}

package droid

import (
	"encoding/json"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur. The event at the end of a subagent
// does not say which subagent ended.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "UserPromptSubmit", Kind: events.PromptSubmit},
	{Name: "PreToolUse", Kind: events.ToolBefore},
	{Name: "Notification", Kind: events.ConsentAsked},
	{Name: "PostToolUse", Kind: events.ToolAfter},
	{Name: "PreCompact", Kind: events.Compaction},
	{Name: "Stop", Kind: events.TurnEnd},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// client implements the capabilities of the agent's hooks.
type client struct{ env capability.Env }

// wire is a hook payload with the fields of all events.
type wire struct {
	payload.Fields
	Tool   string          `json:"tool_name"`
	CallID string          `json:"tool_use_id"`
	Notice string          `json:"notification_type"`
	Input  json.RawMessage `json:"tool_input"`
}

// decoder returns the decoder of hook payloads.
func (c *client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: (*wire).Same, Fill: c.fill, End: c.settle}
}

func (c *client) fill(b *events.Boundary, w *wire) bool {
	if b.Kind == events.ConsentAsked { // it names no call
		return w.Notice == "permission_prompt"
	}
	if payload.OfCall(b.Kind) && w.CallID == "" && strings.HasSuffix(b.Transcript, ".jsonl") {
		w.CallID = callOf(b.Transcript, w.Tool, w.Input)
	}
	if !payload.OfCall(b.Kind) || tools.Describe(b, w.CallID, w.Tool, w.Input, c.env.Home).Class == events.ToolReads {
		return true
	}
	if b.Model == "" && strings.HasSuffix(b.Transcript, ".jsonl") {
		b.Model = payload.Name(settingsOf(b.Transcript).model)
	}
	payload.NeedModel(b)
	return true
}

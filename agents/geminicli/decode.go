package geminicli

import (
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "BeforeAgent", Kind: events.PromptSubmit},
	{Name: "BeforeTool", Kind: events.ToolBefore},
	{Name: "Notification", Kind: events.ConsentAsked},
	{Name: "AfterTool", Kind: events.ToolAfter},
	{Name: "AfterAgent", Kind: events.TurnEnd},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// wire is a hook payload with the fields of all events.
type wire struct {
	payload.Fields
	geminihooks.Call
	Notice string `json:"notification_type"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: (*wire).Same, Fill: c.fill, End: c.settle}
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	b.Mark = "GEMINI_CLI=1"
	switch {
	case b.Kind == events.ConsentAsked:
		return w.Notice == "ToolPermission"
	case payload.OfCall(b.Kind):
		c.fillTool(b, w)
	}
	return true
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	if b.Kind == events.ToolAfter && w.Failed() {
		b.Kind = events.ToolFailed
	}
	if w.Describe(b, "", c.env.Home).Class == events.ToolReads {
		return
	}
	if b.Kind == events.ToolBefore { // the end of a call has the same owner as the call
		attribute(b)
	}
	if b.Model == "" && b.Subagent == "" && !slices.Contains(b.Limits, events.LimitSubagentUnknown) {
		b.Model = geminihooks.LastModel(b.Transcript)
	}
	payload.NeedModel(b)
}

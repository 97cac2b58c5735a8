package geminicli

import (
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are the hook events that carry a boundary, in the order in which they happen.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "BeforeAgent", Kind: events.PromptSubmit},
	{Name: "BeforeTool", Kind: events.ToolBefore},
	{Name: "Notification", Kind: events.ConsentAsked},
	{Name: "AfterTool", Kind: events.ToolAfter},
	{Name: "AfterAgent", Kind: events.TurnEnd},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// Events lists the hook events that carry a boundary.
func (c *Client) Events() []string { return kinds.Names() }

// wire is a hook payload with the fields of all events.
type wire struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Cwd        string `json:"cwd"`
	Source     string `json:"source"`
	Reason     string `json:"reason"`
	Prompt     string `json:"prompt"`
	Notice     string `json:"notification_type"`
	geminihooks.Call
}

// Decode reads the payload of one hook call. It gives no boundary and no error for an event without one.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := kinds.Kind(event)
	if kind == "" {
		return nil, nil
	}
	w := new(wire)
	err := payload.Object(data, w)
	if err == nil {
		err = payload.Ids(w.Session, "")
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	if kind == events.ConsentAsked && w.Notice != "ToolPermission" {
		return nil, nil
	}
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Time: c.env.Time(),
		Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.Transcript),
		Mark: "GEMINI_CLI=1",
	}
	switch kind {
	case events.SessionStart:
		b.Source = payload.Name(w.Source)
	case events.SessionEnd:
		b.Source = payload.Name(w.Reason)
	case events.PromptSubmit:
		b.Source, b.Prompt = events.SourceUser, &events.Prompt{Text: w.Prompt}
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		c.fillTool(&b, w)
	case events.ToolsEnd, events.TurnEnd, events.SubagentStart, events.SubagentEnd, events.Compaction, events.CwdChanged,
		events.ConsentAsked:
	}
	return []events.Boundary{b}, nil
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	if b.Kind == events.ToolAfter && w.Failed() {
		b.Kind = events.ToolFailed
	}
	b.Tool = w.Describe(b.Kind, b.Cwd, c.env.Home)
	b.Tool.Fingerprint = w.Fingerprint()
	b.Limits = append(b.Limits, events.LimitIDMissing)
	if b.Tool.Class == events.ToolReads {
		return
	}
	if b.Kind == events.ToolBefore { // what ends a call belongs to whom the call belongs to
		attribute(b)
	}
	if b.Model == "" && b.Subagent == "" && !slices.Contains(b.Limits, events.LimitSubagentUnknown) {
		b.Model = geminihooks.LastModel(b.Transcript)
	}
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
}

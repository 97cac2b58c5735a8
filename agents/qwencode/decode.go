package qwencode

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are the hook events that carry a boundary, in the order in which they happen.
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

// Events lists the hook events that carry a boundary.
func (c *Client) Events() []string { return kinds.Names() }

// wire is a hook payload with the fields of all events.
type wire struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Cwd        string `json:"cwd"`
	Agent      string `json:"agent_id"`
	AgentType  string `json:"agent_type"`
	Model      string `json:"model"`
	Source     string `json:"source"`
	Reason     string `json:"reason"`
	Trigger    string `json:"trigger"`
	Prompt     string `json:"prompt"`
	PromptID   string `json:"prompt_id"`
	CallID     string `json:"tool_call_id"`
	UseID      string `json:"tool_use_id"`
	geminihooks.Call
	Calls []geminihooks.Call `json:"tool_calls"` // of PostToolBatch

	Lasted float64 `json:"duration_ms"`
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
		err = payload.Ids(w.Session, w.Agent)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	if kind == events.PromptSubmit && strings.TrimSpace(w.Prompt) == "" {
		return nil, nil // the results of tools go to the model
	}
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Subagent: w.Agent, SubagentType: payload.Name(w.AgentType),
		Model: payload.Name(w.Model), Time: c.env.Time(), Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.Transcript),
	}
	c.fill(&b, w)
	if kind == events.ToolsEnd && b.Tool == nil {
		return nil, nil // nothing was edited
	}
	return []events.Boundary{b}, nil
}

// fill adds what the kind of boundary has beyond the common fields.
func (c *Client) fill(b *events.Boundary, w *wire) {
	switch b.Kind {
	case events.SessionStart:
		b.Source = payload.Name(w.Source)
	case events.SessionEnd:
		b.Source = payload.Name(w.Reason)
	case events.Compaction:
		b.Source = payload.Name(w.Trigger)
	case events.PromptSubmit:
		b.Source, b.Prompt = events.SourceUser, &events.Prompt{ID: payload.Name(w.PromptID), Text: w.Prompt}
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		c.fillTool(b, w)
	case events.ToolsEnd:
		b.Tool = geminihooks.Edited(w.Calls, b.Cwd, c.env.Home)
	case events.TurnEnd, events.SubagentStart, events.SubagentEnd, events.CwdChanged, events.ConsentAsked:
	}
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	b.Tool = w.Describe(b.Kind, b.Cwd, c.env.Home)
	if id := payload.Name(w.PromptID); id != "" && b.Subagent == "" {
		b.Prompt = &events.Prompt{ID: id}
	}
	switch {
	case payload.CallID(w.CallID):
		b.Tool.CallID = w.CallID
	case payload.CallID(w.UseID):
		b.Tool.CallID = w.UseID
	default:
		b.Tool.Fingerprint = w.Fingerprint()
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	if b.Tool.Class == events.ToolReads {
		return
	}
	if b.Tool.Class == events.ToolRuns {
		b.Tool.Lasted = payload.Milliseconds(w.Lasted)
	}
	if b.Model == "" {
		b.Model = lastModel(b.Transcript, b.Subagent)
	}
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
}

// Settle knows nothing more than the hooks told.
func (c *Client) Settle(capability.Call) capability.End { return capability.End{} }

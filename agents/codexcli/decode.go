package codexcli

import (
	"fmt"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are the hook events that carry a boundary, in the order in which they happen.
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

// Events lists the hook events that carry a boundary.
func (c *Client) Events() []string { return kinds.Names() }

// wire is a hook payload with the fields of all events.
type wire struct {
	Session    string `json:"session_id"`
	Turn       string `json:"turn_id"`
	Transcript string `json:"transcript_path"`
	Cwd        string `json:"cwd"`
	Model      string `json:"model"`
	Agent      string `json:"agent_id"`
	AgentType  string `json:"agent_type"`
	Source     string `json:"source"`
	Reason     string `json:"reason"`
	Trigger    string `json:"trigger"`
	Prompt     string `json:"prompt"`
	Tool       string `json:"tool_name"`
	ToolUse    string `json:"tool_use_id"`
	Input      struct {
		Command string `json:"command"` // of a patch its text
		Path    string `json:"path"`    // of tools of MCP servers
		File    string `json:"file_path"`
	} `json:"tool_input"`
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
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Subagent: w.Agent, SubagentType: payload.Name(w.AgentType),
		Model: payload.Name(w.Model), Time: c.env.Time(), Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.Transcript),
	}
	c.fill(&b, w)
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
		b.Source = events.SourceUser
		b.Prompt = &events.Prompt{ID: payload.Name(w.Turn), Text: w.Prompt}
	case events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ConsentAsked:
		c.fillTool(b, w)
	case events.ToolsEnd, events.TurnEnd, events.SubagentStart, events.SubagentEnd, events.CwdChanged:
	}
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	tool := &events.ToolUse{Name: payload.Name(w.Tool), Class: classOf(w.Tool)}
	b.Tool = tool
	if id := payload.Name(w.Turn); id != "" && b.Subagent == "" { // a sub-agent counts turns of its own
		b.Prompt = &events.Prompt{ID: id}
	}
	if payload.CallID(w.ToolUse) {
		tool.CallID = w.ToolUse
	} else {
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
	patch, dir := w.Input.Command, b.Cwd
	switch tool.Class {
	case events.ToolReads:
		return
	case events.ToolRuns:
		var found bool
		if patch, dir, found = applypatch.Command(w.Input.Command, b.Cwd, c.env.Home); !found {
			payload.Command(tool, w.Input.Command, b.Cwd, c.env.Home)
			return
		}
	case events.ToolUnknown:
		if path := payload.Path(either(w.Input.File, w.Input.Path), b.Cwd, c.env.Home); path != "" {
			tool.Hints = []string{path}
		}
		return
	case events.ToolEdits:
	}
	tool.Paths, tool.Edits = applypatch.Declare(patch, dir, c.env.Home)
	for i := range tool.Edits {
		tool.Edits[i].Exact = b.Kind == events.ToolAfter
	}
	tool.Class = events.ToolEdits
	if len(tool.Paths) == 0 { // nothing says where it writes
		tool.Class = events.ToolUnknown
	}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

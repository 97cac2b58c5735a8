package copilotcli

import (
	"fmt"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are the hook events that carry a boundary, in the order in which they happen.
var kinds = payload.Events{
	{Name: "sessionStart", Kind: events.SessionStart},
	{Name: "userPromptSubmitted", Kind: events.PromptSubmit},
	{Name: "preToolUse", Kind: events.ToolBefore},
	{Name: "notification", Kind: events.ConsentAsked},
	{Name: "postToolUse", Kind: events.ToolAfter},
	{Name: "postToolUseFailure", Kind: events.ToolFailed},
	{Name: "subagentStart", Kind: events.SubagentStart},
	{Name: "subagentStop", Kind: events.SubagentEnd},
	{Name: "agentStop", Kind: events.TurnEnd},
	{Name: "sessionEnd", Kind: events.SessionEnd},
}

// Events lists the hook events that carry a boundary.
func (c *Client) Events() []string { return kinds.Names() }

// wire is a hook payload with the fields of all events.
type wire struct {
	Session    string `json:"sessionId"`
	Cwd        string `json:"cwd"`
	Transcript string `json:"transcriptPath"`
	Source     string `json:"source"`
	Reason     string `json:"reason"`
	Prompt     string `json:"prompt"`
	Notice     string `json:"notification_type"`
	Agent      string `json:"agentId"`
	AgentType  string `json:"agentType"`
	Parent     string `json:"parentAgentId"`
	call
}

// Decode reads the payload of one hook call. It gives no boundary and no error for an event without one.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := kinds.Kind(event)
	if kind == "" {
		return nil, nil
	}
	w := new(wire)
	err := payload.Object(data, w)
	if w.Agent != "" && w.Session == w.Agent {
		w.Session = w.Parent
	}
	if err == nil {
		err = payload.Ids(w.Session, w.Agent)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	if w.Agent != "" && (kind == events.PromptSubmit || kind == events.TurnEnd) {
		return nil, nil // said to and by a sub-agent; subagentStop ends it
	}
	if kind == events.ConsentAsked && w.Notice != "permission_prompt" {
		return nil, nil
	}
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Subagent: w.Agent, SubagentType: payload.Name(w.AgentType),
		Time: c.env.Time(), Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.Transcript),
	}
	if root := sessionOf(b.Transcript); root != "" && w.Agent != "" { // of a sub-agent's own sub-agent sessionId is none
		b.Session = root
	}
	if b.Transcript == "" {
		b.Transcript = filepath.Join(c.configDir(), "session-state", b.Session, eventsFile)
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

// sessionOf is the session whose file is .../<session>/events.jsonl, "" for another file.
func sessionOf(path string) string {
	session := filepath.Base(filepath.Dir(path))
	if filepath.Base(path) != eventsFile || !payload.SessionID(session) {
		return ""
	}
	return session
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	b.Tool = w.describe(b.Cwd, c.env.Home)
	b.Limits = append(b.Limits, events.LimitIDMissing)
	if b.Tool.Class == events.ToolReads {
		return
	}
	if b.Model = modelOf(b.Transcript, b.Subagent, b.Tool.Fingerprint); b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
}

// Settle knows nothing more than the hooks told: without ids the session file does not say which call an entry is about.
func (c *Client) Settle(capability.Call) capability.End { return capability.End{} }

package copilotcli

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
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

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return both{
		payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill}, c.env, Editor(c.env),
	}
}

func fields(w *wire) payload.Fields {
	f := payload.Fields{
		Session: w.Session, Subagent: w.Agent, SubagentType: w.AgentType, Cwd: w.Cwd, Transcript: w.Transcript,
		Source: w.Source, Reason: w.Reason, Prompt: w.Prompt,
	}
	if w.Agent != "" && w.Session == w.Agent {
		f.Session = w.Parent
	}
	return f
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if b.Subagent != "" && (b.Kind == events.PromptSubmit || b.Kind == events.TurnEnd) {
		return false // to or from a subagent; subagentStop ends it
	}
	// the sessionId of a nested subagent is not the session's id
	if root := sessionOf(b.Transcript); root != "" && b.Subagent != "" {
		b.Session = root
	}
	if b.Transcript == "" {
		b.Transcript = filepath.Join(c.configDir(), "session-state", b.Session, eventsFile)
	}
	if b.Kind == events.ConsentAsked {
		return w.Notice == "permission_prompt"
	}
	if !payload.OfCall(b.Kind) || w.describe(b, c.env.Home).Class == events.ToolReads {
		return true
	}
	b.Model, b.Answered = modelOf(b.Transcript, b.Subagent, b.Tool.Fingerprint)
	if b.Kind == events.ToolBefore && !b.AnsweredFor(b.Time) {
		b.Model = ""
	}
	payload.NeedModel(b)
	return true
}

// sessionOf returns the session of a file .../<session>/events.jsonl; "" for another file.
func sessionOf(path string) string { return sessionfile.InDir(path, eventsFile) }

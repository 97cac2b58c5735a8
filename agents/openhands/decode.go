package openhands

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "UserPromptSubmit", Kind: events.PromptSubmit},
	{Name: "PreToolUse", Kind: events.ToolBefore},
	{Name: "PostToolUse", Kind: events.ToolAfter},
	{Name: "Stop", Kind: events.TurnEnd},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// client implements the capabilities of the agent's hooks.
type client struct{ env capability.Env }

// wire is a hook payload with the fields of all events.
type wire struct {
	Session string          `json:"session_id"`
	Cwd     string          `json:"working_dir"`
	Message string          `json:"message"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
}

// decoder returns the decoder of hook payloads.
func (c *client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: c.fields, Fill: c.fill}
}

// fields also derives the session file: a conversation's directory has its id without hyphens as its name.
func (c *client) fields(w *wire) payload.Fields {
	f := payload.Fields{Session: w.Session, Cwd: w.Cwd, Prompt: w.Message}
	if id := payload.CheckedID(strings.ReplaceAll(w.Session, "-", "")); id != "" {
		f.Transcript = filepath.Join(conversations(c.env), id, stateFile)
	}
	return f
}

func (c *client) fill(b *events.Boundary, w *wire) bool {
	if payload.OfCall(b.Kind) && tools.Describe(b, "", w.Tool, w.Input, c.env.Home).Class != events.ToolReads {
		llm := rawjson.Member(rawjson.Member(stateOf(b.Transcript), "agent"), "llm")
		b.Model = payload.Name(modelOf(rawjson.MemberText(llm, "model")))
		payload.NeedModel(b)
	}
	return true
}

// conversations returns the directory in which OpenHands stores its conversations.
func conversations(env capability.Env) string {
	return env.Dir("OPENHANDS_CONVERSATIONS_DIR", ".openhands", "conversations")
}

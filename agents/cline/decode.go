package cline

import (
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
)

// kinds lists Cline's hooks that are boundaries, in the order in which they occur. Cline waits only for the hooks of
// calls.
var kinds = payload.Events{
	{Name: "UserPromptSubmit", Kind: events.PromptSubmit},
	{Name: "PreToolUse", Kind: events.ToolBefore},
	{Name: "PostToolUse", Kind: events.ToolAfter},
	{Name: "TaskComplete", Kind: events.TurnEnd},
	{Name: "TaskCancel", Kind: events.TurnEnd},
	{Name: "TaskError", Kind: events.TurnEnd},
}

// hooks implements the capabilities of Cline's hooks.
type hooks struct{ env capability.Env }

// wire is a hook payload with the fields of all hooks.
type wire struct {
	Session struct {
		Root string `json:"rootSessionId"`
	} `json:"sessionContext"`
	Roots  []string `json:"workspaceRoots"`
	Agent  string   `json:"agent_id"`
	Parent string   `json:"parent_agent_id"`
	Prompt struct {
		Text string `json:"prompt"`
	} `json:"userPromptSubmit"`
	Call   call `json:"tool_call"`
	Result call `json:"tool_result"`
}

// call is a tool call, or its end.
type call struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Error string          `json:"error"`
}

// decoder returns the decoder of hook payloads.
func (h *hooks) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: h.env, Agent: Name, Kinds: kinds, Fields: h.fields, Fill: h.fill}
}

func (h *hooks) fields(w *wire) payload.Fields {
	f := payload.Fields{Session: w.Session.Root, Prompt: w.Prompt.Text}
	if len(w.Roots) > 0 {
		f.Cwd = w.Roots[0]
	}
	if w.Parent != "" {
		f.Subagent = w.Agent
	}
	if id := payload.CheckedID(w.Session.Root); id != "" {
		f.Transcript = filepath.Join(sessions{env: h.env}.dir(), "data", "sessions", id, id+document)
	}
	return f
}

func (h *hooks) fill(b *events.Boundary, w *wire) bool {
	if b.Subagent != "" && !payload.OfCall(b.Kind) {
		return false // a subagent's task and end are parts of the turn
	}
	if !payload.OfCall(b.Kind) {
		return true
	}
	c := w.Call
	if b.Kind == events.ToolAfter {
		if c = w.Result; c.Error != "" {
			b.Kind = events.ToolFailed
		}
	}
	if tools.Describe(b, c.ID, c.Name, c.Input, h.env.Home).Class != events.ToolReads {
		raw := manifestOf(b.Transcript)
		b.Model = payload.Name(modelName(rawjson.MemberText(raw, "model"), rawjson.MemberText(raw, "provider")))
		payload.NeedModel(b)
	}
	return true
}

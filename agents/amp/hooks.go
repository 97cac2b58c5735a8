package amp

import (
	_ "embed"
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

//go:embed plugin.ts
var plugin []byte

// kinds lists the plugin's events, with Amp's names.
var kinds = payload.Events{
	{Name: "session.start", Kind: events.SessionStart},
	{Name: "agent.start", Kind: events.PromptSubmit},
	{Name: "tool.call", Kind: events.ToolBefore},
	{Name: "tool.result", Kind: events.ToolAfter},
	{Name: "agent.end", Kind: events.TurnEnd},
}

// wire is a message of the plugin.
type wire struct {
	payload.Fields
	Tool   string          `json:"tool_name"`
	CallID string          `json:"call_id"`
	Input  json.RawMessage `json:"input"`
	Status string          `json:"status"` // status of a result: done, error or cancelled
}

// decoder returns the decoder of hook payloads.
func (s sessions) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: s.env, Agent: Name, Kinds: kinds, Fields: s.fields, Fill: s.fill}
}

func (s sessions) fields(w *wire) payload.Fields {
	w.Source, w.Transcript = "startup", filepath.Join(s.threads(), w.Session+".json")
	return w.Fields
}

func (s sessions) fill(b *events.Boundary, w *wire) bool {
	if !payload.OfCall(b.Kind) {
		return true
	}
	if b.Kind == events.ToolAfter && w.Status != "done" {
		b.Kind = events.ToolFailed
	}
	tools.Describe(b, w.CallID, w.Tool, w.Input, s.env.Home)
	payload.NeedModel(b)
	return true
}

// newInstaller installs the plugin for the user, or in the repository, where Amp finds it from every sub-directory.
func (s sessions) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: s.env, Agent: Name, Title: title, User: s.configDir(), File: "plugins/git-trace.ts", Repo: ".amp",
		Format: installer.Program(plugin, s.env.Binary, Name, kinds.Names()),
	}
}

// configDir returns the directory of the user's settings and plugins for Amp.
func (s sessions) configDir() string {
	return filepath.Join(s.env.Dir("XDG_CONFIG_HOME", ".config"), "amp")
}

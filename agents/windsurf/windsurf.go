// Package windsurf supports the hooks of Windsurf's agent, Cascade.
//
// The package relies on the maker's documentation (docs.windsurf.com/windsurf/cascade/hooks) and not on measurements,
// because the editor works only with an account. In hooks.json, handlers are directly in the list of an event, with a
// command and without a time limit. Hooks of the user and of the workspace both run, in the root of the workspace.
//
// A payload has the id of its conversation (trajectory_id), but a call has no id: its before and after events are
// matched by content and order. A call that writes reports the texts. Payloads do not name the directory of the
// workspace: it is the directory in which the hook runs.
package windsurf

import (
	"cmp"
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// Name is the agent's name in hook commands and events.
const Name = "windsurf"

// title is the agent's name as people write it.
const title = "Windsurf"

func New(env capability.Env) capability.Agent {
	c := &client{env}
	return capability.Agent{
		Name: Name, Title: title, Program: "windsurf", Dir: c.configDir(), Installer: c.newInstaller(),
		Decoder: payload.Decoder[wire]{Env: env, Agent: Name, Kinds: kinds, Fields: c.fields, Fill: c.fill},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsPaired, Model: capability.ModelOfCall, Edits: capability.EditsReplaced,
			Notes: []string{"by the vendor's documentation; not tested with the client"},
		},
	}
}

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "pre_user_prompt", Kind: events.PromptSubmit},
	{Name: "pre_write_code", Kind: events.ToolBefore},
	{Name: "post_write_code", Kind: events.ToolAfter},
	{Name: "pre_run_command", Kind: events.ToolBefore},
	{Name: "post_run_command", Kind: events.ToolAfter},
	{Name: "pre_mcp_tool_use", Kind: events.ToolBefore},
	{Name: "post_mcp_tool_use", Kind: events.ToolAfter},
	{Name: "post_cascade_response_with_transcript", Kind: events.TurnEnd},
}

// client implements the capabilities of the agent's hooks.
type client struct{ env capability.Env }

// wire is a hook payload with the fields of all events.
type wire struct {
	Session string          `json:"trajectory_id"`
	Turn    string          `json:"execution_id"`
	Model   string          `json:"model_name"`
	Info    json.RawMessage `json:"tool_info"`
}

// info is tool_info with the fields of all events.
type info struct {
	File       string          `json:"file_path"`
	Edits      []edit          `json:"edits"`
	Command    string          `json:"command_line"`
	Cwd        string          `json:"cwd"`
	Tool       string          `json:"mcp_tool_name"`
	Arguments  json.RawMessage `json:"mcp_tool_arguments"`
	Prompt     string          `json:"user_prompt"`
	Transcript string          `json:"transcript_path"`
}

type edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
}

func (w *wire) info() (in info) {
	_ = json.Unmarshal(w.Info, &in) // a field of another type counts as missing
	return in
}

// fields takes the directory from the environment variable PWD, which the shell sets.
func (c *client) fields(w *wire) payload.Fields {
	in := w.info()
	return payload.Fields{
		Session: w.Session, Model: w.Model, Cwd: c.env.Lookup("PWD"), Prompt: in.Prompt, PromptID: w.Turn,
		Transcript: cmp.Or(in.Transcript, filepath.Join(c.env.Home, ".windsurf", "transcripts", w.Session+".jsonl")),
	}
}

func (c *client) fill(b *events.Boundary, w *wire) bool {
	if !payload.OfCall(b.Kind) {
		return true
	}
	in := w.info()
	call := payload.Call{Name: in.Tool, Class: events.ToolUnknown, Input: &in.Arguments}
	switch {
	case in.File != "":
		call = payload.Call{Name: "write_code", Class: events.ToolEdits, Input: &w.Info, Path: in.File}
		for _, one := range in.Edits {
			call.Edits = append(call.Edits, events.DeclaredEdit{Old: one.Old, New: one.New})
		}
	case in.Command != "":
		call = payload.Call{Name: "run_command", Class: events.ToolRuns, Input: &w.Info, Command: in.Command, Dir: in.Cwd}
	}
	call.Describe(b, c.env.Home)
	payload.NeedModel(b)
	return true
}

func (c *client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: c.configDir(), File: "hooks.json", Repo: ".windsurf",
		Format: installer.Hooks(c.env, Name, 0, kinds.Names).In(hookfile.Listed),
	}
}

// configDir returns the directory of the user's hooks.
func (c *client) configDir() string { return filepath.Join(c.env.Home, ".codeium", "windsurf") }

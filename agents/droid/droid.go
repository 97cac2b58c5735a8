// Package droid reads the sessions of Droid, the agent of Factory.
//
// A session is a file of JSON lines, ~/.factory/sessions/<directory>/<id>.jsonl. The first line has its id and
// directory; each other line is a message with blocks. Next to it, <id>.settings.json has the model and the tokens of
// the whole session; single answers have no token counts.
//
// The package relies on these facts about the hooks, which were observed with version 0.225.2:
//
//   - Events and payloads have the names and the form of Claude Code's. A call has no id in the payload. The session
//     file has the id: the answer with the call is written before its hooks run. Otherwise, the before and after events
//     of a call are matched by content and order.
//   - PostToolUse comes only for a successful call. The session file says how any other call ended.
//   - Hooks are in settings.json. If hooks.json or the older hooks/hooks.json is next to it, the hooks in the settings
//     are not read. Hooks of the user and hooks of the project both run.
//   - Only the session's settings name the model.
//   - Notification comes when Droid asks for consent. It names no call.
package droid

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in hook commands, events and records.
const Name = "droid"

// title is the agent's name as people write it.
const title = "Droid"

func New(env capability.Env) capability.Agent {
	files, hooks := sessions{env}, &client{env}
	return capability.Agent{
		Name: Name, Title: title, Decoder: hooks.decoder(), Installer: hooks.newInstaller(),
		Parser: files.parser(), Discoverer: files, Identifier: files, Program: "droid",
		Dir: hooks.configDir(), Skills: ".factory/skills", Resumer: capability.ResumeBy{"droid", "--resume"},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsEither, Model: capability.ModelOfSession, Edits: capability.EditsReplaced,
		},
	}
}

// tools lists the tools of Droid.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "Create": toolcall.Writes, "Edit": toolcall.Replaces, "MultiEdit": toolcall.Replaces,
	"ApplyPatch": toolcall.Patches, "Execute": toolcall.Runs,
	"LS": toolcall.Looks, "Grep": toolcall.Looks, "Glob": toolcall.Looks, "FetchUrl": toolcall.Looks,
	"WebSearch": toolcall.Looks, "TodoWrite": toolcall.Looks, "ExitSpecMode": toolcall.Looks,
	"AskUser": toolcall.Looks, "Skill": toolcall.Looks, "Task": toolcall.Looks, // a subagent's calls are in the file
}

// Package droid reads the sessions of Droid, the agent of Factory.
//
// A session is a file of JSON lines, ~/.factory/sessions/<directory>/<id>.jsonl. The first line has its id and its
// directory, and each other one is a message with blocks. Beside it <id>.settings.json has the model and the tokens of
// the whole session; single answers have none.
//
// The package relies on these facts about its hooks, observed with version 0.225.2:
//
//   - Events and payloads have the names and the shape of Claude Code's. A call has no id. The session file has it: the
//     answer that asks for the call is written before its hooks run. Else the two ends of one are brought together by
//     content and order.
//   - PostToolUse comes only for a call that succeeded. The session file says how another one ended.
//   - Hooks are in settings.json, unless hooks.json or the older hooks/hooks.json is beside it: then the settings' are
//     not read. Hooks of the user and hooks of the project both run.
//   - Only the session's settings name the model.
//   - Notification comes when it asks for consent. It names no call.
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
	"AskUser": toolcall.Looks, "Skill": toolcall.Looks, "Task": toolcall.Looks, // a sub-agent's calls are in the file
}

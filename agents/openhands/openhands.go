// Package openhands reads the conversations of OpenHands since version 1.
//
// A conversation is a directory, ~/.openhands/conversations/<id>. base_state.json has the model, the working directory
// and, at the end, the tokens; each events/event-<number>-<id>.json is one event. The path of base_state.json stands
// for the session. Events that were joined into one file of JSON lines are read too.
//
// The package relies on these facts:
//
//   - Calls of one answer have the same answer id (llm_response_id), and are one step.
//   - The tokens of a prompt include the cache. If the file has the tokens of each answer, they are used, even if they
//     come at the end. Otherwise each answer gets the increase of the totals since the previous answer.
//   - A call without an action had arguments that do not fit the tool: it failed, even if no error is reported.
//   - An editor's observation has the whole file before and after, so the edited lines are exact.
//   - Times are by the machine's clock, without a zone.
//
// The package relies on these facts from OpenHands' documentation and source; the client was not observed:
//
//   - OpenHands reads .openhands/hooks.json in the directory in which it is started, otherwise in the user's home.
//   - A payload has the name and the input of a tool, but not the id of the call. The before and after events of a call
//     are matched by content and order. All calls of an answer are announced before the first one runs.
//   - PostToolUse comes only if a tool returned a result. A call that was refused, or that failed before its tool ran,
//     ends with the turn.
//   - Only the conversation's state names the model.
package openhands

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in hook commands, events and records.
const Name = "openhands"

// title is the agent's name as people write it.
const title = "OpenHands"

func New(env capability.Env) capability.Agent {
	files, hooks := sessions{env}, &client{env}
	return capability.Agent{
		Name: Name, Title: title, Decoder: hooks.decoder(), Installer: hooks.newInstaller(),
		Parser: files, Discoverer: files, Identifier: files, Program: "openhands",
		Dir: hooks.configDir(), Resumer: capability.ResumeBy{"openhands", "--resume"},
		Stands: []string{stateFile},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsPaired, Model: capability.ModelOfSession, Edits: capability.EditsReplaced,
			Notes: []string{"by its documentation and source; not tested with the client"},
		},
	}
}

// tools lists the tools of OpenHands.
var tools = toolcall.Tools{
	"terminal": toolcall.Runs, "execute_bash": toolcall.Runs, "file_editor": toolcall.Edits,
	"str_replace_editor": toolcall.Edits, "apply_patch": toolcall.Patches, "write_file": toolcall.Writes,
	"edit": toolcall.Replaces, "read_file": toolcall.Reads,
	"planning_file_editor": toolcall.Edits,
	"list_directory":       toolcall.Looks, "glob": toolcall.Looks, "grep": toolcall.Looks,
	"task_tracker": toolcall.Looks, "think": toolcall.Looks, "finish": toolcall.Looks, "delegate": toolcall.Looks,
}

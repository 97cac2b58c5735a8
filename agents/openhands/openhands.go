// Package openhands reads the conversations of OpenHands, from version 1 on.
//
// A conversation is a directory, ~/.openhands/conversations/<id>: base_state.json has the model, the working directory
// and, at the end, the tokens; events/event-<number>-<id>.json is one event each. Session files are named by
// base_state.json here. Events that were put into one file of JSON lines are read too.
//
// The package relies on these facts:
//
//   - Calls of one answer share the id of the answer (llm_response_id), and are one step.
//   - Tokens of a prompt include the cache. Where each answer has them, they count, also where they come at the end of
//     the file; otherwise each answer gets what the sums grew by since the one before.
//   - A call without an action had arguments that do not fit the tool: it failed, also where no error is told.
//   - An editor's observation has the whole file before and after, so that its lines are exact.
//   - Times are those of the machine's clock, without a zone.
//
// The package relies on these facts from the documentation and the source of OpenHands; the client was not observed:
//
//   - OpenHands reads .openhands/hooks.json in the directory in which it is started, otherwise in the user's home.
//   - A payload has the name and the input of a tool, and no id of the call. The two ends of one are brought together
//     by content and order. All calls of an answer are announced before the first one runs.
//   - PostToolUse comes for what a tool returned. A call that was refused, or failed before its tool ran, is over when
//     the turn is.
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

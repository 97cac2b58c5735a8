// Package openhands reads the conversations of OpenHands, from version 1 on.
//
// A conversation is a directory, ~/.openhands/conversations/<id>: base_state.json tells the model, the directory
// that was worked in and, at the end, the tokens; events/event-<number>-<id>.json is one event each. Session files
// are named by base_state.json here. Events that were put into one file of JSON lines are read too.
//
// What is relied on:
//
//   - Calls of one answer share the id of the answer (llm_response_id), and are one step.
//   - Tokens of a prompt include the cache. Where they are told for each answer that counts; otherwise each answer
//     gets what the sums grew by since the one before.
//   - An editor's observation has the whole file before and after, so that its lines are exact.
//   - Times are those of the machine's clock, without a zone.
//
// OpenHands runs hooks from .openhands/hooks.json; git-trace installs none there yet.
package openhands

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "openhands"

// New returns the agent with what can be known of it.
func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "OpenHands", Parser: files, Discoverer: files, Identifier: files, Program: "openhands",
		Dir: filepath.Join(env.Home, ".openhands"), Resumer: capability.ResumeBy{"openhands", "--resume"},
		Stands: []string{stateFile},
	}
}

// tools are those of OpenHands that do something to files.
var tools = toolcall.Tools{
	"terminal": toolcall.Runs, "execute_bash": toolcall.Runs, "file_editor": toolcall.Edits,
	"str_replace_editor": toolcall.Edits, "apply_patch": toolcall.Patches, "write_file": toolcall.Writes,
	"edit": toolcall.Replaces, "read_file": toolcall.Reads,
}

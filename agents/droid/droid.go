// Package droid reads the sessions of Droid, the agent of Factory.
//
// A session is a file of JSON lines, ~/.factory/sessions/<directory>/<id>.jsonl. The first line tells its id and its
// directory, and each other one is a message with blocks. Beside it <id>.settings.json tells the model and the tokens
// of the whole session; those of single answers stand nowhere.
//
// Droid runs hooks much like Claude Code's. git-trace does not install any there yet: it has not been seen at work.
package droid

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "droid"

// New returns the agent with what can be known of it.
func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Droid", Parser: files, Discoverer: files, Identifier: files, Program: "droid",
		Dir: filepath.Join(env.Home, ".factory"), Resumer: capability.ResumeBy{"droid", "--resume"},
	}
}

// tools are those of Droid that do something to files.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "Create": toolcall.Writes, "Edit": toolcall.Replaces, "MultiEdit": toolcall.Replaces,
	"ApplyPatch": toolcall.Patches, "Execute": toolcall.Runs,
}

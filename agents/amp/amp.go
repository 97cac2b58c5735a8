// Package amp reads the threads of Amp.
//
// Amp keeps each thread as one JSON document, ~/.local/share/amp/threads/T-<id>.json, and rewrites it with each change.
// A thread has more than most: the repository, the branch and the commit at its beginning, the tokens of each answer
// with a separate figure for the cache, and a diff with line numbers for each edit. Its data about the machine (an id
// of the installation, a fingerprint of the device) are never kept.
//
// Amp has no hooks that git-trace could install.
package amp

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "amp"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Amp", Parser: files.parser(), Discoverer: files, Identifier: files, Program: "amp",
		Dir: filepath.Join(files.root(), "threads"), Resumer: capability.ResumeBy{"amp", "threads", "continue"},
	}
}

// tools lists the tools of Amp that change files.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "create_file": toolcall.Writes, "edit_file": toolcall.Replaces, "Bash": toolcall.Runs,
	"apply_patch": toolcall.Patches,
}

// Package amp reads the threads of Amp.
//
// Amp keeps each thread as one JSON document, ~/.local/share/amp/threads/T-<id>.json, and writes it anew with each
// change. A thread tells more than most. It has the repository, the branch and the commit that it began at. It has the
// tokens of each answer with the cache apart, and of each edit a diff with line numbers. What it tells of the machine
// (an id of the installation, a fingerprint of the device) is never kept.
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

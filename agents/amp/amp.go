// Package amp reads the threads of Amp.
//
// Amp stores each thread as one JSON document, ~/.local/share/amp/threads/T-<id>.json, and rewrites it with each
// change. A thread has more data than most sessions: the repository, branch and commit at its start, the tokens of each
// answer with separate cache counts, and a diff with line numbers for each edit. Its data about the machine (an
// installation id, a device fingerprint) are never kept.
//
// Amp has no hooks that start programs. It loads plugins into a separate child process of the client. git-trace's
// plugin is one file (plugin.ts), which runs `git-trace hook amp EVENT` for each event and waits for it.
//
// The package relies on these facts, which were measured with the client (0.0.1790142911):
//
//   - A user's plugin (~/.config/amp/plugins, $XDG_CONFIG_HOME) and a project's plugin (.amp/plugins) are loaded in
//     every sub-directory, without a question. A plugin can get the root of the repository.
//   - tool.call and tool.result are requests that wait for the plugin's answer; both have the id and the input of the
//     call. No event names the model.
//
// A conversation needs an account. So two facts could not be measured: the order of parallel calls, and whether a
// dialog comes before tool.call. If a thread starts another thread, that one is separate.
package amp

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in hook commands, events and records.
const Name = "amp"

// title is the agent's name as people write it.
const title = "Amp"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Decoder: files.decoder(), Installer: files.newInstaller(), Program: "amp",
		Parser: files.parser(), Discoverer: files, Identifier: files, Dir: files.configDir(), Skills: ".agents/skills",
		Resumer: capability.ResumeBy{"amp", "threads", "continue"},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsNative, Model: capability.ModelUnknown, Edits: capability.EditsReplaced,
		},
	}
}

// tools lists the tools of Amp.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "create_file": toolcall.Writes, "edit_file": toolcall.Replaces, "Bash": toolcall.Runs,
	"shell_command": toolcall.Runs, "apply_patch": toolcall.Patches,
	"Glob": toolcall.Looks, "glob": toolcall.Looks, "Grep": toolcall.Looks, "web_search": toolcall.Looks,
	"read_web_page": toolcall.Looks, "skill": toolcall.Looks,
}

// Package amp reads the threads of Amp.
//
// Amp keeps each thread as one JSON document, ~/.local/share/amp/threads/T-<id>.json, and rewrites it with each change.
// A thread has more than most: the repository, the branch and the commit at its beginning, the tokens of each answer
// with a separate figure for the cache, and a diff with line numbers for each edit. Its data about the machine (an id
// of the installation, a fingerprint of the device) are never kept.
//
// Amp has no hooks that start programs; it loads plugins into a process of its own, a child of the client. git-trace's
// plugin is one file (plugin.ts), which starts `git-trace hook amp EVENT` for each event and waits for it.
//
// What was measured with the client (0.0.1790142911) and is relied on:
//
//   - A plugin of the user (~/.config/amp/plugins, $XDG_CONFIG_HOME) and one of the project (.amp/plugins) are loaded
//     from every sub-directory, without a question. The plugin knows the top of the repository.
//   - tool.call and tool.result are requests that wait for the plugin's answer; both have the id and the input of the
//     call. No event names the model.
//
// A conversation needs an account. So two facts are unknown: the order of parallel calls, and whether a dialog comes
// before tool.call. A thread that another one starts is a thread of its own.
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

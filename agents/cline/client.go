package cline

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
)

// The names of the agents in events and records.
const (
	Name    = "cline"
	RooName = "roo-code"
)

// title is the agent's name as people write it.
const title = "Cline"

// New returns Cline with its capabilities.
func New(env capability.Env) capability.Agent {
	files := sessions{env: env, name: Name, folder: "saoudrizwan.claude-dev"}
	return capability.Agent{
		Name: Name, Title: title, Parser: files, Discoverer: files, Identifier: files,
		Decoder: (&hooks{env}).decoder(), Installer: newInstaller(env),
		Program: "cline", Dir: filepath.Join(env.Home, ".cline"), Stands: []string{historyFile, olderFile, shownFile},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsNative, Model: capability.ModelOfSession, Edits: capability.EditsReplaced,
			Subagents: true,
			Notes:     []string{"tested as a command line, version 3.0.65; its hooks do not report that you are asked"},
		},
	}
}

// NewRoo returns Roo Code with its capabilities.
func NewRoo(env capability.Env) capability.Agent {
	files := sessions{env: env, name: RooName, folder: "rooveterinaryinc.roo-cline"}
	return capability.Agent{Name: RooName, Title: "Roo Code", Parser: files, Discoverer: files, Identifier: files,
		Dir: filepath.Join(env.Home, ".roo"), Stands: []string{historyFile, olderFile, shownFile}}
}

// newInstaller installs a program for each event, in the user's directory or in the project's settings directory.
func newInstaller(env capability.Env) capability.HookInstaller {
	return installer.NewFiles(env, installer.Dirs{
		Agent: Name, Title: title, User: sessions{env: env}.dir(), Repo: ".cline", Below: "hooks",
	}, kinds.Names())
}

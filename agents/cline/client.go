package cline

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
)

// The names of the agents in events and records.
const (
	Name    = "cline"
	RooName = "roo-code"
)

// New returns Cline with what can be known of it.
func New(env capability.Env) capability.Agent {
	files := sessions{env: env, name: Name, folder: "saoudrizwan.claude-dev"}
	return capability.Agent{
		Name: Name, Title: "Cline", Parser: files, Discoverer: files, Identifier: files,
		Program: "cline", Dir: filepath.Join(env.Home, ".cline"), Stands: []string{historyFile, olderFile},
	}
}

// NewRoo returns Roo Code.
func NewRoo(env capability.Env) capability.Agent {
	files := sessions{env: env, name: RooName, folder: "rooveterinaryinc.roo-cline"}
	return capability.Agent{Name: RooName, Title: "Roo Code", Parser: files, Discoverer: files, Identifier: files,
		Dir: filepath.Join(env.Home, ".roo"), Stands: []string{historyFile, olderFile}}
}

// Package grok reads the sessions of Grok Build.
//
// A session is a directory, $GROK_HOME/sessions/<directory>/<id>. summary.json has the working directory and git's
// state, and updates.jsonl has the events, one update of the Agent Client Protocol a line. A sub-agent's session is one
// of its own beside the others.
//
// The package relies on these facts, observed with version 1.0.41 or from its user guide:
//
//   - Pieces of one answer, and its calls, have the time in common at which the model began (streamStartMs).
//   - A call is reported when it begins (tool_call), and by updates. The one with the status "completed" or "failed"
//     has the result.
//   - Only a turn has a count of tokens. It includes what the cache gave, and what sub-agents used.
//   - A message that the user types while Grok works is between the updates of the turn.
package grok

import (
	"cmp"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "grok"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Grok Build", Parser: files.parser(), Discoverer: files, Identifier: files, Program: "grok",
		Dir: files.root(), Stands: []string{summaryFile}, Resumer: capability.ResumeBy{"grok", "--resume"},
	}
}

// root returns the directory of the settings and sessions of Grok.
func (s sessions) root() string {
	return cmp.Or(s.env.Lookup("GROK_HOME"), filepath.Join(s.env.Home, ".grok"))
}

// tools lists the tools of Grok that change files.
var tools = toolcall.Tools{
	"read_file": toolcall.Reads, "write": toolcall.Writes, "search_replace": toolcall.Replaces,
	"run_terminal_command": toolcall.Runs,
}

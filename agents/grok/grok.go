// Package grok reads the sessions of Grok Build.
//
// A session is a directory, $GROK_HOME/sessions/<directory>/<id>. summary.json has the working directory and the state
// of git; updates.jsonl has the events, one update of the Agent Client Protocol on each line. A subagent's session is a
// separate directory next to the others.
//
// The package relies on these facts, which were observed with version 1.0.41 or are in its user guide:
//
//   - The pieces of one answer and its calls have the same streamStartMs, the time at which the model started.
//   - A call is reported when it starts (tool_call), and by updates. The update with the status "completed" or "failed"
//     has the result.
//   - Only a turn has token counts. They include cached tokens and the tokens of subagents.
//   - A message that the user types while Grok works is between the updates of the turn.
package grok

import (
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

// root returns the directory of Grok's settings and sessions.
func (s sessions) root() string {
	return s.env.Dir("GROK_HOME", ".grok")
}

// tools lists tools of Grok, with their effects on files.
var tools = toolcall.Tools{
	"read_file": toolcall.Reads, "write": toolcall.Writes, "search_replace": toolcall.Replaces,
	"run_terminal_command": toolcall.Runs,
}

// Package kimi reads the sessions of Kimi Code.
//
// A session is a directory, $KIMI_CODE_HOME/sessions/<workspace>/<id>. state.json has its id, its title and its working
// directory. agents/main/wire.jsonl has one record on each line; a subagent's file is agents/agent-0/wire.jsonl.
//
// The package relies on these facts, which were observed with version 2.1.0 (protocol 1.5):
//
//   - context.append_message is a message to the model. Only prompts with the origin "user" were typed; the others are
//     reminders of the client, and tasks of a subagent.
//   - context.append_loop_event has the pieces of an answer between step.begin and step.end; step.end has the tokens.
//     The result of a call comes before the end of the step.
//   - llm.request, before the pieces, names the model. agent.message.appended repeats earlier messages.
//   - The result of the tool Agent begins with the id of the subagent.
package kimi

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "kimi-code"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Kimi Code", Parser: files.parser(), Discoverer: files, Identifier: files, Program: "kimi",
		Dir: files.root(), Stands: []string{stateFile}, Resumer: capability.ResumeBy{"kimi", "--session"},
	}
}

// root returns the directory of Kimi Code's settings and sessions.
func (s sessions) root() string {
	return s.env.Dir("KIMI_CODE_HOME", ".kimi-code")
}

// tools lists the tools of Kimi Code.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "Write": toolcall.Writes, "Edit": toolcall.Replaces, "Bash": toolcall.Runs,
}

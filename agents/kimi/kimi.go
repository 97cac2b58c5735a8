// Package kimi reads the sessions of Kimi Code.
//
// A session is a directory, $KIMI_CODE_HOME/sessions/<workspace>/<id>. state.json has its id, its title and its working
// directory. agents/main/wire.jsonl has one record a line, and the file of a sub-agent lies beside it,
// agents/agent-0/wire.jsonl.
//
// The package relies on these facts, observed with version 2.1.0 (protocol 1.5):
//
//   - context.append_message puts a message before the model. Only prompts of the origin "user" were typed; the others
//     are reminders of the client, and tasks of a sub-agent.
//   - context.append_loop_event gives an answer in pieces between step.begin and step.end, which has its tokens. The
//     result of a call comes before the end of the step.
//   - llm.request before the pieces names the model. agent.message.appended repeats what was said.
//   - The result of the tool Agent begins with the id of the sub-agent.
package kimi

import (
	"cmp"
	"path/filepath"

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

// root returns the directory of the settings and sessions of Kimi Code.
func (s sessions) root() string {
	return cmp.Or(s.env.Lookup("KIMI_CODE_HOME"), filepath.Join(s.env.Home, ".kimi-code"))
}

// tools lists the tools of Kimi Code.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "Write": toolcall.Writes, "Edit": toolcall.Replaces, "Bash": toolcall.Runs,
}

package copilotcli

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "copilot-cli"

// New returns the agent with what it can do.
func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{Name: Name, Title: "Copilot CLI", Parser: files, Discoverer: files, Identifier: files}
}

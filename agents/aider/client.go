package aider

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in events and records.
const Name = "aider"

// title is the agent's name as people write it.
const title = "Aider"

// New returns the agent with what can be known of it: it has no hooks.
func New(capability.Env) capability.Agent {
	return capability.Agent{
		Name: Name, Title: title, Parser: sessions{}, Discoverer: sessions{}, Identifier: sessions{}, Program: "aider",
		InProject: true,
	}
}

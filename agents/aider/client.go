package aider

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in events and records.
const Name = "aider"

// title is the agent's name as people write it.
const title = "Aider"

// New returns the agent with its capabilities; it has no hooks.
func New(capability.Env) capability.Agent {
	files := sessions{&index{}}
	return capability.Agent{
		Name: Name, Title: title, Parser: files.parser(), Discoverer: files, Identifier: files, Program: "aider",
		InProject: true,
	}
}

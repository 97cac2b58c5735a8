package cursor

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// Name is the agent's name in hook commands, events and records.
const Name = "cursor"

// title is the agent's name as people write it.
const title = "Cursor"

// Client implements the hooks of an agent that uses Cursor's form of hooks.
type Client struct {
	env         capability.Env
	name, title string
	dir         string // the settings directory, in the home directory and in a project
	kinds       payload.Events
}

func New(env capability.Env) capability.Agent {
	client, files := &Client{env: env, name: Name, title: title, dir: ".cursor", kinds: kinds}, sessions{env}
	agent := client.agent()
	agent.Program, agent.Resumer = "cursor-agent", capability.ResumeBy{"cursor-agent", "--resume="}
	agent.Parser, agent.Discoverer, agent.Identifier = files, files, files
	agent.Traits.Subagents = true
	return agent
}

// FirebenderName is the name of Firebender in hook commands and events.
const FirebenderName = "firebender"

// NewFirebender returns Firebender, the agent in JetBrains' editors. According to its documentation
// (docs.firebender.com), it has Cursor's hooks, except the hook for prompts.
func NewFirebender(env capability.Env) capability.Agent {
	return (&Client{env: env, name: FirebenderName, title: "Firebender", dir: ".firebender", kinds: payload.Events{
		{Name: "sessionStart", Kind: events.SessionStart},
		{Name: "preToolUse", Kind: events.ToolBefore},
		{Name: "postToolUse", Kind: events.ToolAfter},
		{Name: "stop", Kind: events.TurnEnd},
		{Name: "sessionEnd", Kind: events.SessionEnd},
	}}).agent()
}

// agent returns the common part of all agents with hooks in Cursor's form.
func (c *Client) agent() capability.Agent {
	return capability.Agent{
		Name: c.name, Title: c.title, Decoder: c.decoder(), Installer: c.newInstaller(), Dir: c.configDir(),
		Traits: capability.Traits{
			CallIDs: capability.CallIDsEither, Model: capability.ModelOfCall, Edits: capability.EditsReplaced,
			Notes: []string{"by the vendor's documentation; not tested with the client"},
		},
	}
}

package cursor

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "cursor"

// title is the agent's name as people write it.
const title = "Cursor"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Decoder: client.decoder(), Installer: client.newInstaller(), Program: "cursor-agent",
		Parser: files, Discoverer: files, Identifier: files,
		Dir:     client.configDir(),
		Resumer: capability.ResumeBy{"cursor-agent", "--resume="},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsEither, Model: capability.ModelOfCall, Edits: capability.EditsReplaced, Subagents: true,
			Notes: []string{"by the vendor's documentation; not tested with the client"},
		},
	}
}

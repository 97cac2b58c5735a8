package geminicli

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "gemini-cli"

// title is the agent's name as people write it.
const title = "Gemini CLI"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Decoder: client.decoder(), Installer: client.newInstaller(),
		Parser: files.parser(), Discoverer: files, Identifier: files, Program: "gemini", Dir: client.config().Dir,
		Skills:  ".gemini/skills",
		Resumer: capability.ResumeBy{"gemini", "--resume"},
		Traits: capability.Traits{
			CallIDs: capability.CallIDsPaired, Model: capability.ModelOfSession, Edits: capability.EditsWhole, Subagents: true,
			Notes: []string{"which of several sub-agents at once may be unknown"},
		},
	}
}

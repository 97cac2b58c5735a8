package copilotcli

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "copilot-cli"

// title is the agent's name as people write it.
const title = "Copilot CLI"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Tested: "1.0.102", Decoder: client.decoder(), Installer: client.newInstaller(),
		Parser: files.parser(), Discoverer: files, Identifier: files, Program: "copilot", Dir: client.configDir(),
		Skills:  ".github/skills",
		Resumer: capability.ResumeBy{"copilot", "--resume="},
		Traits: capability.Traits{CallIDs: capability.CallIDsPaired, Model: capability.ModelOfSession,
			Edits: capability.EditsReplaced, Subagents: true},
	}
}

package codexcli

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "codex-cli"

// title is the agent's name as people write it.
const title = "Codex CLI"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	installer := client.newInstaller()
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Tested: "0.169.0", Decoder: client.decoder(), Installer: installer, Trust: installer,
		Parser: files.parser(), Discoverer: files, Identifier: files, Program: "codex", Dir: configDir(env),
		Skills:  ".agents/skills",
		Resumer: capability.ResumeBy{"codex", "resume"}, Copier: files,
		Traits: capability.Traits{CallIDs: capability.CallIDsNative, Model: capability.ModelOfCall,
			Edits: capability.EditsReplaced, Subagents: true},
	}
}

package opencode

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "opencode"

// title is the agent's name as people write it.
const title = "OpenCode"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client, files := &Client{env: env}, sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Tested: "1.18.33", Decoder: client.decoder(), Installer: client.newInstaller(),
		Program: "opencode", Dir: client.configDir(), Skills: ".opencode/skills",
		Parser: files.parser(), Discoverer: files, Identifier: files,
		Resumer: capability.ResumeBy{"opencode", "--session"},
		Traits: capability.Traits{CallIDs: capability.CallIDsNative, Model: capability.ModelOfCall,
			Edits: capability.EditsReplaced, Subagents: true},
	}
}

package qwencode

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "qwen-code"

// title is the agent's name as people write it.
const title = "Qwen Code"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Tested: "0.24.4", Decoder: client.decoder(), Installer: client.newInstaller(),
		Parser: files.parser(), Discoverer: files, Identifier: files, Program: "qwen", Dir: client.config().Dir,
		Skills:  ".qwen/skills",
		Resumer: capability.ResumeBy{"qwen", "--resume"},
		Traits: capability.Traits{CallIDs: capability.CallIDsNative, Model: capability.ModelOfSession,
			Edits: capability.EditsWhole, Subagents: true, HooksEnd: true},
	}
}

package pi

import "github.com/git-trace/git-trace/agents/capability"

// Name is the agent's name in hook commands, events and records.
const Name = "pi"

// title is the agent's name as people write it.
const title = "Pi"

// Client implements the capabilities of the agent's hooks.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: title, Decoder: client.decoder(), Installer: client.newInstaller(),
		Parser: files.parser(), Discoverer: files, Identifier: files, Program: "pi", Dir: configDir(env),
		Skills:  ".pi/skills",
		Resumer: capability.ResumeBy{"pi", "--session"}, Copier: files,
		Traits: capability.Traits{CallIDs: capability.CallIDsNative, Model: capability.ModelOfCall,
			Edits: capability.EditsReplaced},
	}
}

package generic

import "github.com/git-trace/git-trace/agents/capability"

// Name is the name in hook commands, and the agent's name in events if the payload does not name the agent.
const Name = "generic"

// Client decodes the documented payload.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	return capability.Agent{
		Name: Name, Title: "any other agent", Decoder: (&Client{env: env}).decoder(),
		Traits: capability.Traits{
			CallIDs: capability.CallIDsEither, Model: capability.ModelOfCall, Edits: capability.EditsWhole, Subagents: true,
			Notes: []string{"what the payload says; nothing is installed"},
		},
	}
}

package agents

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/agents/codexcli"
	"github.com/git-trace/git-trace/agents/copilotcli"
	"github.com/git-trace/git-trace/agents/cursor"
	"github.com/git-trace/git-trace/agents/geminicli"
	"github.com/git-trace/git-trace/agents/generic"
	"github.com/git-trace/git-trace/agents/opencode"
	"github.com/git-trace/git-trace/agents/pi"
	"github.com/git-trace/git-trace/agents/qwencode"
)

// The words of agents/capability, so that callers need to import the list alone.
type (
	Agent             = capability.Agent
	Env               = capability.Env
	PayloadDecoder    = capability.PayloadDecoder
	HookInstaller     = capability.HookInstaller
	SessionParser     = capability.SessionParser
	SessionDiscoverer = capability.SessionDiscoverer
	SessionIdentifier = capability.SessionIdentifier
	Session           = capability.Session
	ParseOptions      = capability.ParseOptions
	Parsed            = capability.Parsed
	Call              = capability.Call
	Outcome           = capability.Outcome
	Target            = capability.Target
	Scope             = capability.Scope
	Action            = capability.Action
	Status            = capability.Status
	InstallError      = capability.InstallError
)

// The scopes of a target and the outcomes of a call.
const (
	ScopeUser       = capability.ScopeUser
	ScopeRepo       = capability.ScopeRepo
	ScopeProject    = capability.ScopeProject
	OutcomeUnknown  = capability.OutcomeUnknown
	OutcomeRan      = capability.OutcomeRan
	OutcomeRejected = capability.OutcomeRejected
)

// SystemEnv reads the environment of this process at the time of the call.
func SystemEnv() (Env, error) { return capability.SystemEnv() }

// All lists the agents, in the order in which they are shown.
func All(env Env) []Agent {
	return []Agent{
		claudecode.New(env),
		codexcli.New(env),
		pi.New(env),
		opencode.New(env),
		geminicli.New(env),
		qwencode.New(env),
		copilotcli.New(env),
		cursor.New(env),
		generic.New(env),
	}
}

// Lookup finds an agent by its name.
func Lookup(env Env, name string) (Agent, bool) {
	for _, agent := range All(env) {
		if agent.Name == name {
			return agent, true
		}
	}
	return Agent{}, false
}

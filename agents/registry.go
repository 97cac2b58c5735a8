package agents

import (
	"github.com/git-trace/git-trace/agents/aider"
	"github.com/git-trace/git-trace/agents/amp"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/agents/cline"
	"github.com/git-trace/git-trace/agents/codexcli"
	"github.com/git-trace/git-trace/agents/continuecli"
	"github.com/git-trace/git-trace/agents/copilotcli"
	"github.com/git-trace/git-trace/agents/copilotvscode"
	"github.com/git-trace/git-trace/agents/cursor"
	"github.com/git-trace/git-trace/agents/droid"
	"github.com/git-trace/git-trace/agents/geminicli"
	"github.com/git-trace/git-trace/agents/generic"
	"github.com/git-trace/git-trace/agents/goose"
	"github.com/git-trace/git-trace/agents/grok"
	"github.com/git-trace/git-trace/agents/kimi"
	"github.com/git-trace/git-trace/agents/opencode"
	"github.com/git-trace/git-trace/agents/openhands"
	"github.com/git-trace/git-trace/agents/pi"
	"github.com/git-trace/git-trace/agents/qwencode"
	"github.com/git-trace/git-trace/agents/windsurf"
	"github.com/git-trace/git-trace/agents/zed"
)

// These are types of agents/capability, so that callers need to import only this package.
type (
	Agent         = capability.Agent
	Env           = capability.Env
	HookInstaller = capability.HookInstaller
	SessionLister = capability.SessionLister
	ParseOptions  = capability.ParseOptions
	Target        = capability.Target
	Action        = capability.Action
	Status        = capability.Status
)

// ScopeProject is the scope of settings that a project commits.
const ScopeProject = capability.ScopeProject

// SystemEnv reads the environment of this process when it is called.
func SystemEnv() (Env, error) { return capability.SystemEnv() }

// registered holds an agent's name and its function New.
type registered struct {
	name string
	make func(Env) Agent
}

// registry returns the list of agents, in the order of display. To add an agent, write its package and add a line here.
func registry() []registered {
	return []registered{
		{claudecode.Name, claudecode.New},
		{codexcli.Name, codexcli.New},
		{pi.Name, pi.New},
		{opencode.Name, opencode.New},
		{geminicli.Name, geminicli.New},
		{qwencode.Name, qwencode.New},
		{copilotcli.Name, copilotcli.New},
		{cursor.Name, cursor.New},
		{aider.Name, aider.New},
		{cline.Name, cline.New},
		{cline.RooName, cline.NewRoo},
		{amp.Name, amp.New},
		{droid.Name, droid.New},
		{continuecli.Name, continuecli.New},
		{goose.Name, goose.New},
		{openhands.Name, openhands.New},
		{copilotvscode.Name, copilotvscode.New},
		{zed.Name, zed.New},
		{kimi.Name, kimi.New},
		{grok.Name, grok.New},
		{windsurf.Name, windsurf.New},
		{cursor.FirebenderName, cursor.NewFirebender},
		{generic.Name, generic.New},
	}
}

func All(env Env) []Agent {
	var out []Agent
	for _, one := range registry() {
		out = append(out, one.agent(env))
	}
	return out
}

// Lookup finds an agent by its name. It makes only this agent, because every hook calls it.
func Lookup(env Env, name string) (Agent, bool) {
	for _, one := range registry() {
		if one.name == name {
			return one.agent(env), true
		}
	}
	return Agent{}, false
}

// Names returns the names of the agents.
func Names() []string {
	var out []string
	for _, one := range registry() {
		out = append(out, one.name)
	}
	return out
}

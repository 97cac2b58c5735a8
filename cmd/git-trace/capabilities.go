package main

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/terminal"
)

// capabilitiesSchema names the form of the JSON output; docs/schema/capabilities-1.schema.json describes it.
const capabilitiesSchema = "git-trace.capabilities/1"

// agentCapabilities lists what git-trace can do with one agent.
type agentCapabilities struct {
	Name     string             `json:"name"`
	Title    string             `json:"title"`
	Found    bool               `json:"found"` // the agent is used on this machine
	Events   []string           `json:"events"`
	Capture  *capability.Traits `json:"capture"` // null if it has no hooks
	Install  bool               `json:"install"` // `git trace init --agent` installs its hooks
	Consent  bool               `json:"consent"` // it runs hooks only after its user allowed them
	Sessions bool               `json:"sessions"`
	Resume   []string           `json:"resume"` // the command line, with SESSION for the id; null if it cannot resume
	AtStep   bool               `json:"at_step"`
}

func capabilitiesCommand() *command {
	return &command{
		Name:    "capabilities",
		Does:    "what git-trace can do with each coding agent",
		Form:    "git trace capabilities [--json]",
		About:   "Needs no repository.",
		Options: options("json"),
		Examples: []example{
			{"git trace capabilities", "what each agent reports, and which agents are on this machine"},
		},
		Run:    (*app).capabilities,
		Traits: alone | bounded | atOnce,
		Tries:  []string{"", "--json"},
	}
}

func (a *app) capabilities(c *call, _ operands) error {
	env, err := capability.SystemEnv()
	if err != nil {
		return err
	}
	list := []agentCapabilities{}
	for _, agent := range agents.All(env) {
		list = append(list, capabilitiesOf(agent, env))
	}
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), map[string]any{"schema": capabilitiesSchema, "agents": list})
	}
	screen, _, err := a.display(nil).Plain("never")
	if err != nil {
		return err
	}
	const column, most = 15, 9
	for _, one := range list {
		name := one.Name
		for _, line := range cells.Wrap(one.summary(), max(screen.Width-column, column), most) {
			fmt.Fprintf(screen.Out, "%-*s%s\n", column, name, line)
			name = ""
		}
	}
	return nil
}

func capabilitiesOf(agent capability.Agent, env capability.Env) agentCapabilities {
	one := agentCapabilities{
		Name: agent.Name, Title: agent.Title, Found: agent.Found(env), Events: []string{}, Install: agent.Installer != nil,
		Consent: agent.Trust != nil, Sessions: agent.Parser != nil,
	}
	if agent.Decoder != nil {
		one.Events = agent.Decoder.Events()
		one.Capture = &agent.Traits
	}
	if agent.Resumer != nil {
		one.Resume = agent.Resumer.Resume("SESSION")
		one.AtStep = agent.Copier != nil
	}
	return one
}

// summary describes an agent in one line for people.
func (one agentCapabilities) summary() string {
	var words []string
	add := func(when bool, word string) {
		if when {
			words = append(words, word)
		}
	}
	add(one.Found, "found here")
	if one.Capture != nil {
		add(one.Capture.CallIDs == capability.CallIDsPaired, "calls paired by content and order")
		add(one.Capture.Subagents, "sub-agents")
		words = append(words, one.Capture.Notes...)
	}
	add(one.Consent, "needs consent")
	add(one.Sessions, "session files")
	add(one.Resume != nil && !one.AtStep, "resume")
	add(one.AtStep, "resume, also at a step")
	return strings.Join(words, " · ")
}

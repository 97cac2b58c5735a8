package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
)

// initSchema names the form of the JSON output; docs/schema/init-1.schema.json describes it.
const initSchema = "git-trace.init/1"

// initTold lists the changes of init, done or planned, in JSON.
type initTold struct {
	Schema  string       `json:"schema"`
	DryRun  bool         `json:"dry_run"`
	Started bool         `json:"started"` // nothing was recorded here before
	Agents  []string     `json:"agents"`  // agents that are traced now
	Actions []initAction `json:"actions"`
	Passed  []initPassed `json:"passed"`
}

type initAction struct {
	For  string `json:"for"` // git or an agent
	What string `json:"what"`
}

type initPassed struct {
	Agent  string `json:"agent"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

func (a *app) writeInit(in *installation, told *initTold, actions []planned) error {
	told.Agents, told.Actions, told.Passed = []string{}, []initAction{}, []initPassed{}
	for _, agent := range in.agents {
		told.Agents = append(told.Agents, agent.Name)
	}
	for _, one := range actions {
		told.Actions = append(told.Actions, initAction{one.who, one.what})
	}
	for _, one := range in.passed {
		left := initPassed{Agent: one.agent.Name, Reason: one.err.Error()}
		var refused *capability.InstallError
		if errors.As(one.err, &refused) {
			left.Hint = refused.Hint
		}
		told.Passed = append(told.Passed, left)
	}
	return writeJSON(terminal.Quietly(a.std.out), told)
}

// `served` reports whether an agent's hooks in the user's own settings also serve this repository.
func (in *installation) served(ctx context.Context, agent capability.Agent) bool {
	target := in.target
	target.Scope = capability.ScopeUser
	status, err := agent.Installer.Status(ctx, target)
	return err == nil && len(status.Present) > 0
}

// tellPassed reports the agents that were left out. It returns the exit status as an error if the user named one of
// them.
func (a *app) tellPassed(in *installation) error {
	for _, one := range in.passed {
		kind := "warning"
		if !in.found {
			kind = "error"
		}
		fmt.Fprintf(a.std.err, "git-trace: %s: %s is not traced: %s\n", kind, one.agent.Name, cells.Message(one.err.Error()))
		var refused *capability.InstallError
		if errors.As(one.err, &refused) && refused.Hint != "" {
			fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", cells.Message(refused.Hint))
		}
	}
	if !in.found && len(in.passed) > 0 {
		return exit.Silent(exit.Git)
	}
	return nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

func initCommand() *command {
	return &command{
		Name: "init",
		Does: "start recording: install git hooks here and the hooks of coding agents",
		Form: "git trace init [--agent <name>]… [--global | --project-settings] [--trust-hooks] [--new-writer] " +
			"[--dry-run] [--json]",
		About: "Installs git hooks beside the existing ones, and the agents' hooks in this user's settings for\n" +
			"this repository. Takes the first snapshot. Puts the repository on this user's list of recorded\n" +
			"repositories; hooks open only these. Without --agent it installs hooks for the agents on this\n" +
			"machine, except for those in the setting trace.ignoreAgent. A second run changes nothing. A copied\n" +
			"directory has the same id as the original, and only one of them may publish. --new-writer gives\n" +
			"this one a new id: a new log begins, and the old log can still be read.",
		Options: options("agent", "global", "project-settings", "trust-hooks", "new-writer", "dry-run", "json"),
		Examples: []example{
			{"git trace init", "record this repository, for the agents on this machine"},
			{"git trace init --agent claude-code --dry-run", "show what it would do for one agent"},
		},
		Run: func(a *app, c *call, _ operands) error {
			if c.Bool("new-writer") {
				if err := a.newWriter(c); err != nil {
					return err
				}
			}
			return a.initialise(c)
		},
		Traits: common | alone | fetchless,
		Waits:  "--agent claude-code",
		Tries:  []string{"--agent claude-code --dry-run", "--dry-run", "--dry-run --json"},
	}
}

// newWriter gives this clone a new writer id.
func (a *app) newWriter(c *call) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	log := events.OpenLog(repo)
	if c.Bool("dry-run") {
		if !c.Bool("json") {
			fmt.Fprintln(a.std.out, "would give this clone a new id")
		}
		return nil
	}
	old, now, err := log.SetAside(c.Context)
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
	case old == "":
		fmt.Fprintln(a.std.out, "nothing was recorded here, so there is no id yet")
	default:
		fmt.Fprintf(a.std.out, "this clone now writes as %s; the log of %s is still read\n", now, old)
	}
	return nil
}

// installation holds everything that init and uninstall change.
type installation struct {
	env    capability.Env
	repo   *refs.Repo
	hooks  hooks.Installer
	agents []capability.Agent
	target capability.Target
	found  bool         // the agents were found on this machine; the user did not name them
	passed []passedOver // found agents that cannot be installed
	global bool         // an agent's hooks are in the user's settings
}

// passedOver is an agent that was left out, with the reason.
type passedOver struct {
	agent capability.Agent
	err   error
}

// installation collects what the options name. It changes nothing.
func (a *app) installation(c *call) (*installation, error) {
	repo, err := a.workTree()
	if err != nil {
		return nil, err
	}
	env, err := capability.SystemEnv()
	if err != nil {
		return nil, err
	}
	in := &installation{repo: repo, hooks: hooks.Installer{Repo: repo, Binary: env.Binary}}
	in.target = capability.Target{Scope: capability.ScopeRepo, Repo: repo}
	switch {
	case c.Bool("global") && c.Bool("project-settings"):
		return nil, exit.Usage("--global and --project-settings exclude each other")
	case c.Bool("global"):
		in.target.Scope = capability.ScopeUser
	case c.Bool("project-settings"):
		in.target.Scope = capability.ScopeProject
	}
	if in.agents, err = chooseAgents(env, c.StringSlice("agent")); err != nil {
		return nil, err
	}
	in.env = env
	return in, nil
}

// onlyFound keeps the agents that are used on this machine, without those that the user ignores.
func (in *installation) onlyFound(ctx context.Context) error {
	config, err := in.repo.Config(ctx)
	if err != nil {
		return err
	}
	return in.onlyFoundBy(config)
}

// onlyFoundBy does the same with a configuration that was read already.
func (in *installation) onlyFoundBy(config refs.Config) error {
	ignored, err := agents.IgnoredBy(config, in.env)
	in.agents = slices.DeleteFunc(slices.Clone(in.agents), func(one capability.Agent) bool {
		return !one.Found(in.env) || slices.Contains(ignored, one.Name)
	})
	in.found = true
	return err
}

// chooseAgents returns the named agents, or all agents that can be recorded.
func chooseAgents(env capability.Env, names []string) ([]capability.Agent, error) {
	known := installable(env)
	var out []capability.Agent
	for _, agent := range agents.Installable(env) {
		if len(names) == 0 || slices.Contains(names, agent.Name) {
			out = append(out, agent)
		}
	}
	for _, name := range names {
		if agent, found := agents.Lookup(env, name); found && agent.Installer == nil {
			return nil, &exit.Failure{
				Code: exit.Misuse, Err: fmt.Errorf("there is nothing to install for '%s'", name),
				Hint: "the agent calls `git trace hook " + name + " <event>` itself: see docs/agents.md",
			}
		}
		if !slices.Contains(known, name) {
			return nil, exit.NoSuch("agent", name, known)
		}
	}
	return out, nil
}

// installable returns the names of the agents whose hooks git-trace can install.
func installable(env capability.Env) []string {
	var out []string
	for _, agent := range agents.Installable(env) {
		out = append(out, agent.Name)
	}
	return out
}

// initialise plans everything before it writes anything. So an invalid settings file changes nothing. If an agent
// cannot be installed, initialise leaves it out with a message, and installs git's hooks and the other agents. If the
// user named that agent, the command fails at the end. If no named agent can be installed, nothing changes.
func (a *app) initialise(c *call) error {
	in, err := a.installation(c)
	if err != nil {
		return err
	}
	if len(c.StringSlice("agent")) == 0 {
		if err := in.onlyFound(c.Context); err != nil {
			return err
		}
	}
	planned, err := in.plan(c.Context)
	if err != nil {
		return explainInstall(err)
	}
	told := &initTold{Schema: initSchema, DryRun: c.Bool("dry-run"), Started: !recorded.Is(in.repo)}
	if told.DryRun && c.Bool("json") {
		return cmp.Or(a.writeInit(in, told, planned), a.tellPassed(in))
	}
	if told.DryRun {
		a.printActions(planned, "would ")
		if told.Started {
			fmt.Fprintln(a.std.out, "would start recording")
		} else if len(planned) == 0 {
			fmt.Fprintln(a.std.out, "nothing to do")
		}
		return a.tellPassed(in)
	}
	if err := recorded.CheckPlace(); err != nil {
		return explainList(err)
	}
	result, err := in.hooks.Install(c.Context)
	if err != nil {
		return explainInstall(err)
	}
	for _, agent := range in.agents {
		if _, err := agent.Installer.Install(c.Context, in.target); err != nil {
			return explainInstall(fmt.Errorf("%s: %w", agent.Name, err))
		}
	}
	if err := startRecording(c.Context, in.repo); err != nil {
		return err
	}
	if !c.Bool("json") {
		a.printActions(planned, "")
	}
	for _, note := range result.Notes {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", cells.Message(note))
	}
	allowed, err := a.obtainConsent(c.Context, in, c.Bool("trust-hooks"))
	if err != nil {
		return explainInstall(err)
	}
	passed := a.tellPassed(in)
	if c.Bool("json") {
		err := a.writeInit(in, told, append(planned, allowed...))
		return cmp.Or(err, a.tellObstacles(c.Context, in), passed)
	}
	a.printActions(allowed, "")
	if err := a.settleSummary(c.Context, in.repo); err != nil {
		return err
	}
	switch started := told.Started; {
	case started && len(in.agents) == 0 && !in.global:
		fmt.Fprintln(a.std.out, "recording started; no agent is traced yet")
	case started:
		fmt.Fprintln(a.std.out, "recording started; conversations that begin from now on are traced\n"+
			"next: start your agent here, then git trace status")
	case len(planned)+len(allowed) == 0:
		fmt.Fprintln(a.std.out, "already recording; nothing to do")
	}
	return cmp.Or(a.tellObstacles(c.Context, in), a.tellMissing(c.Context, in), passed)
}

// settleSummary writes the answer about a line after each commit to the user's own configuration.
func (a *app) settleSummary(ctx context.Context, repo *refs.Repo) error {
	config, err := repo.Config(ctx)
	if err != nil {
		return err
	}
	value := a.asksSummary(config)
	if value == "" {
		return nil
	}
	if _, err := refs.GitNowhere(ctx, "config", "--global", runner.SummaryKey, value); err != nil {
		return err
	}
	a.tellSummary(value)
	return nil
}

func (a *app) tellSummary(value string) {
	a.printActions([]planned{{who: "git", what: "set " + runner.SummaryKey + " = " + value}}, "")
}

// planned is one action of an installer, in printable form.
type planned struct {
	who  string // "git" or the agent's name
	what string
	hook hooks.Action // git's hook; empty for an agent
}

func ofGit(actions []hooks.Action) []planned {
	out := make([]planned, len(actions))
	for i, action := range actions {
		out[i] = planned{"git", action.String(), action}
	}
	return out
}

func (in *installation) plan(ctx context.Context) ([]planned, error) {
	gitActions, err := in.hooks.Plan(ctx)
	if err != nil {
		return nil, err
	}
	return in.planAgents(ctx, ofGit(gitActions))
}

// planAgents adds the actions for agents to out, and leaves out agents that cannot be installed.
func (in *installation) planAgents(ctx context.Context, out []planned) ([]planned, error) {
	for _, agent := range slices.Clone(in.agents) {
		actions, err := agent.Installer.Plan(ctx, in.target)
		var refused *capability.InstallError
		if errors.As(err, &refused) {
			if in.found && in.served(ctx, agent) {
				in.global = true
			} else {
				in.passed = append(in.passed, passedOver{agent, err})
			}
			in.agents = slices.DeleteFunc(in.agents, func(one capability.Agent) bool { return one.Name == agent.Name })
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", agent.Name, err)
		}
		for _, action := range actions {
			out = append(out, planned{who: agent.Name, what: describeAction(action)})
		}
	}
	if !in.found && len(in.agents) == 0 { // no named agent can be installed
		return nil, fmt.Errorf("%s: %w", in.passed[0].agent.Name, in.passed[0].err)
	}
	return out, nil
}

func describeAction(action capability.Action) string {
	text := string(action.Op) + " " + action.Path
	switch {
	case len(action.Events) > 0:
		text += " (" + numbers.Count(len(action.Events), "hook event") + ")"
	case action.Detail != "":
		text += " (" + action.Detail + ")"
	}
	return text
}

func (a *app) printActions(actions []planned, prefix string) {
	for _, one := range together(actions) {
		fmt.Fprintf(a.std.out, "%-12s %s%s\n", one.who, prefix, cells.Message(relativeTo(a.dir, one.what)))
	}
}

// together joins actions that differ only in the hook of a directory into one line.
func together(actions []planned) []planned {
	var out []planned
	counts := map[hooks.Action]int{} // by action, place and reason
	of := func(one planned) hooks.Action {
		return hooks.Action{Path: filepath.Dir(one.hook.Path), What: one.hook.What, Why: one.hook.Why}
	}
	for _, one := range actions {
		if one.hook.Hook != "" {
			counts[of(one)]++
		}
	}
	for _, one := range actions {
		all := of(one)
		n := counts[all]
		if one.hook.Hook == "" || n == 1 {
			out = append(out, one)
			continue
		}
		if n > 1 {
			counts[all] = 0
			all.What += " " + numbers.Count(n, "hook") + " in"
			one.what = all.String()
			out = append(out, one)
		}
	}
	return out
}

// relativeTo shortens absolute paths below the current directory in a text for people.
func relativeTo(dir, text string) string {
	abs, err := filepath.Abs(dir)
	if err != nil || abs == "/" {
		return text
	}
	return strings.ReplaceAll(text, abs+string(filepath.Separator), "")
}

// explainList adds the remedy to the error if the list of recorded repositories cannot be written.
func explainList(err error) error {
	return exit.Fail(exit.Git, err, "the list is in the state directory: set XDG_STATE_HOME to a writable directory")
}

// explainInstall adds the exit status and the hint to an installer's error.
func explainInstall(err error) error {
	var install *capability.InstallError
	if errors.As(err, &install) {
		return exit.Fail(exit.Git, err, install.Hint)
	}
	return exit.Fail(exit.Git, err, hooks.Hint(err))
}

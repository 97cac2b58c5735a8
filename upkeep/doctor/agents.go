package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/numbers"
)

// Target describes an agent's hooks in one place.
type Target struct {
	Scope capability.Scope `json:"scope"`
	capability.Status
	Error string `json:"error,omitempty"`

	err error
}

// `touched` reports whether the place has any of our hooks.
func (t *Target) touched() bool { return len(t.Present)+len(t.Stale) > 0 }

// `works` reports whether the hooks call this program.
func (t *Target) works() bool {
	return t.err == nil && t.Installed && t.BinaryFound && len(t.DisabledBy)+len(t.Obstacles) == 0
}

// Agent describes an agent's hooks in all places.
type Agent struct {
	Name    string   `json:"name"`
	Traced  bool     `json:"traced"`
	Targets []Target `json:"targets"`

	agent capability.Agent
}

// label returns the agent's name. It adds a note if the hooks work only at the top of the work tree.
func (one *Agent) label() string {
	for i := range one.Targets {
		if t := &one.Targets[i]; t.works() && !t.OnlyAtTop {
			return one.Name
		}
	}
	return one.Name + " (only where it is started at the top of the work tree: git trace init --agent " + one.Name +
		" --global serves sub-directories too)"
}

// `touched` reports whether any place has our hooks.
func (one *Agent) touched() bool {
	for i := range one.Targets {
		if one.Targets[i].touched() {
			return true
		}
	}
	return false
}

func (d *Doctor) examineAgents(ctx context.Context) []Agent {
	out := make([]Agent, 0, len(d.agents))
	for _, agent := range d.agents {
		one := Agent{Name: agent.Name, agent: agent, Targets: []Target{}}
		for _, scope := range []capability.Scope{capability.ScopeRepo, capability.ScopeProject, capability.ScopeUser} {
			t := Target{Scope: scope}
			if t.Status, t.err = agent.Installer.Status(ctx, d.target(scope)); t.err != nil {
				t.Error = t.err.Error()
			}
			if t.Settings != "" && slices.ContainsFunc(one.Targets, func(other Target) bool {
				return other.Settings == t.Settings
			}) {
				continue // one file may serve both the person and the project
			}
			one.Traced = one.Traced || t.works()
			one.Targets = append(one.Targets, t)
		}
		out = append(out, one)
	}
	return out
}

func (d *Doctor) target(scope capability.Scope) capability.Target {
	return capability.Target{Scope: scope, Repo: d.repo}
}

func (d *Doctor) checkAgents(ctx context.Context) (string, []Finding) {
	all := d.examineAgents(ctx)
	if problems := append(d.agentFindings(ctx, all), d.unheardFindings(all)...); len(problems) > 0 {
		return "", problems
	}
	var names []string
	for _, one := range all {
		if one.Traced {
			names = append(names, one.label())
		}
	}
	return strings.Join(names, ", ") + " traced", nil
}

// agentFindings returns faults of the agents' hooks. Missing hooks are not a fault if some other agent is traced.
func (d *Doctor) agentFindings(ctx context.Context, all []Agent) []Finding {
	var out []Finding
	traced := false
	for i := range all {
		traced = traced || all[i].Traced
		for j := range all[i].Targets {
			out = append(out, d.targetFindings(&all[i], &all[i].Targets[j])...)
		}
	}
	if !traced && len(out) == 0 {
		none := Finding{What: "no agent is traced here", Mend: "git trace init", fix: d.reinstallAll(ctx, all)}
		if none.fix == nil {
			none.Mend = "git trace init --agent <name>"
		}
		out = append(out, none)
	}
	return out
}

func (d *Doctor) targetFindings(agent *Agent, t *Target) []Finding {
	settings := d.shorten(t.Settings)
	var install *capability.InstallError
	switch {
	case t.err != nil:
		f := Finding{What: agent.Name + ": " + t.Error, Mend: "see whether " + settings + " can be read"}
		if errors.As(t.err, &install) {
			f.Mend = install.Hint
		}
		if t.Settings != "" {
			f.What = strings.ReplaceAll(f.What, t.Settings, settings)
		}
		return []Finding{f}
	case !t.touched():
		return nil
	}
	var out []Finding
	again := &repair{agent.Name + ": hooks are installed again", func(ctx context.Context) error {
		_, err := agent.agent.Installer.Install(ctx, d.target(t.Scope))
		return err
	}}
	add := func(format string, args ...any) {
		out = append(out, Finding{What: agent.Name + ": " + fmt.Sprintf(format, args...), Mend: "git trace doctor --fix",
			fix: again})
	}
	if n := len(t.Missing); n > 0 {
		add("%s missing in %s (%s)", numbers.Count(n, "hook"), settings, strings.Join(t.Missing, ", "))
	}
	if n := len(t.Stale); n > 0 {
		add("%s out of date in %s (%s)", numbers.Count(n, "hook"), settings, strings.Join(t.Stale, ", "))
	}
	if !t.BinaryFound && t.Binary != "" {
		add("the hooks in %s call %s, which is not there", settings, d.shorten(t.Binary))
	}
	for _, obstacle := range t.Obstacles {
		out = append(out, Finding{What: agent.Name + ": " + obstacle.What, Mend: obstacle.Mend})
	}
	for _, by := range t.DisabledBy {
		out = append(out, Finding{
			What: agent.Name + ": all hooks are switched off in " + d.shorten(by), Mend: "remove disableAllHooks from that file",
		})
	}
	return out
}

// reinstallAll returns the repair that installs the hooks of the agents used here, as `git trace init` does; nil if
// there are none.
func (d *Doctor) reinstallAll(ctx context.Context, all []Agent) *repair {
	ignored, _ := agents.Ignored(ctx, d.repo, d.env) // untracedFindings reports a wrong name
	found := slices.DeleteFunc(slices.Clone(all), func(one Agent) bool {
		return !one.agent.Found(d.env) || slices.Contains(ignored, one.Name)
	})
	if len(found) == 0 {
		return nil
	}
	return &repair{"the agents' hooks are installed", func(ctx context.Context) error {
		for _, one := range found {
			if _, err := one.agent.Installer.Install(ctx, d.target(capability.ScopeRepo)); err != nil {
				return err
			}
		}
		return nil
	}}
}

// `untraced` returns the finding about agents on this machine that are not traced.
func untraced(mend string, names ...string) Finding {
	n := len(names)
	return Finding{
		What: fmt.Sprintf("%s %s on this machine and not traced: only %s session files tell of %[3]s lines",
			strings.Join(names, ", "), numbers.Agree(n, "is", "are"), numbers.Agree(n, "its", "their")),
		Mend:   mend + " (" + agents.IgnoreKey + " leaves an agent out for good)",
		agents: names,
	}
}

// untracedFindings reports agents on this machine that have no hooks, if others have them: nobody reports their lines.
func (d *Doctor) untracedFindings(ctx context.Context, all []Agent) []Finding {
	var out []Finding
	ignored, err := agents.Ignored(ctx, d.repo, d.env)
	var unknown *agents.UnknownError
	if errors.As(err, &unknown) {
		out = append(out, Finding{What: err.Error(), Mend: unknown.Hint()})
	}
	traced := false
	var names []string
	var others []Finding
	for i := range all {
		one := &all[i]
		traced = traced || one.Traced
		if one.touched() || !one.agent.Found(d.env) || slices.Contains(ignored, one.Name) {
			continue
		}
		_, err := one.agent.Installer.Plan(ctx, d.target(capability.ScopeRepo))
		var refused *capability.InstallError
		if errors.As(err, &refused) && refused.Hint != "" { // git trace init would refuse it, too
			others = append(others, untraced(refused.Hint, one.Name))
			continue
		}
		names = append(names, one.Name)
	}
	if traced {
		out = append(out, others...)
	}
	if traced && len(names) > 0 {
		out = append(out, untraced("git trace init --agent "+strings.Join(names, " --agent "), names...))
	}
	return out
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
)

// hookFindings says what is wrong with the git hooks, once for hooks with which the same is wrong.
func (h *health) hookFindings(st hooks.Status) []finding {
	if slices.ContainsFunc(st.Notes, func(note string) bool { return strings.HasPrefix(note, "git runs no hooks here") }) {
		return []finding{{What: "git runs no hooks here (" + st.Source + ")", Mend: hooks.Hint(hooks.ErrHooksOff)}}
	}
	var out []finding
	names := map[string][]string{} // hooks by what is wrong with them
	for _, one := range st.Hooks {
		if one.Works() {
			continue
		}
		problem := hookProblem(one, h.shorten)
		if names[problem] == nil {
			out = append(out, h.hookFinding(one.State, problem))
		}
		names[problem] = append(names[problem], one.Hook)
	}
	for i := range out {
		broken := names[out[i].What]
		who := strings.Join(broken, ", ") + " hook "
		switch {
		case len(broken) == len(st.Hooks):
			who = "every git hook "
		case len(broken) > 1:
			who = "each of the hooks " + strings.Join(broken, ", ") + " "
		}
		out[i].What = who + out[i].What
	}
	return out
}

func (h *health) hookFinding(state hooks.State, problem string) finding {
	switch state {
	case hooks.Damaged:
		return finding{What: problem, Mend: hooks.Hint(hooks.ErrDamaged)}
	case hooks.Blocked:
		return finding{What: problem, Mend: hooks.Hint(hooks.ErrBlocked)}
	default:
		return finding{What: problem, Mend: "git trace doctor --fix", fix: h.reinstall}
	}
}

func hookProblem(one hooks.HookStatus, shorten func(string) string) string {
	by := ""
	if one.Beside != "" {
		by = " by " + one.Beside
	}
	switch one.State {
	case hooks.Absent, hooks.ForeignOnly:
		return "is not installed"
	case hooks.Missing:
		return "was deleted"
	case hooks.Overwritten:
		return "was overwritten" + by
	case hooks.NotExecutable:
		return "is not executable: git skips it"
	case hooks.Damaged:
		return "has lost one of the marker comments (" + shorten(one.Path) + ")"
	case hooks.Blocked:
		return "cannot be there: " + shorten(one.Path) + " is " + one.Detail
	case hooks.Stale:
		return "is out of date (" + one.Detail + ")"
	case hooks.Bypassed:
		return "is not where git looks (" + one.Detail + ")"
	case hooks.Installed, hooks.ByHand:
	}
	return "is " + string(one.State)
}

// agentFindings says what is wrong with the hooks of the agents. Where nothing of ours is, nothing is wrong, as long as
// some agent is traced.
func (h *health) agentFindings(ctx context.Context, all []agentHealth) []finding {
	var out []finding
	traced := false
	for i := range all {
		traced = traced || all[i].Traced
		for j := range all[i].Targets {
			out = append(out, h.targetFindings(&all[i], &all[i].Targets[j])...)
		}
	}
	if !traced && len(out) == 0 {
		none := finding{What: "no agent is traced here", Mend: "git trace init", fix: h.reinstallAll(ctx, all)}
		if none.fix == nil {
			none.Mend = "git trace init --agent <name>"
		}
		out = append(out, none)
	}
	return out
}

func (h *health) targetFindings(agent *agentHealth, t *targetHealth) []finding {
	settings := h.shorten(t.Settings)
	var install *capability.InstallError
	switch {
	case t.err != nil:
		f := finding{What: agent.Name + ": " + t.Error, Mend: "see whether " + settings + " can be read"}
		if errors.As(t.err, &install) {
			f.Mend = install.Hint
		}
		if t.Settings != "" {
			f.What = strings.ReplaceAll(f.What, t.Settings, settings)
		}
		return []finding{f}
	case !t.touched():
		return nil
	}
	var out []finding
	again := &repair{agent.Name + ": hooks are installed again", func(ctx context.Context) error {
		_, err := agent.agent.Installer.Install(ctx, h.target(t.Scope))
		return err
	}}
	add := func(format string, args ...any) {
		out = append(out, finding{What: agent.Name + ": " + fmt.Sprintf(format, args...), Mend: "git trace doctor --fix",
			fix: again})
	}
	if n := len(t.Missing); n > 0 {
		add("%s missing in %s (%s)", plural(n, "hook"), settings, strings.Join(t.Missing, ", "))
	}
	if n := len(t.Stale); n > 0 {
		add("%s out of date in %s (%s)", plural(n, "hook"), settings, strings.Join(t.Stale, ", "))
	}
	if !t.BinaryFound && t.Binary != "" {
		add("the hooks in %s call %s, which is not there", settings, h.shorten(t.Binary))
	}
	for _, obstacle := range t.Obstacles {
		out = append(out, finding{What: agent.Name + ": " + obstacle.What, Mend: obstacle.Mend})
	}
	for _, by := range t.DisabledBy {
		out = append(out, finding{
			What: agent.Name + ": all hooks are switched off in " + h.shorten(by), Mend: "remove disableAllHooks from that file",
		})
	}
	return out
}

// reinstallAll installs the hooks of those agents that are used here, as `git trace init` does; nil when there is none.
func (h *health) reinstallAll(ctx context.Context, all []agentHealth) *repair {
	ignored, _ := ignoredAgents(ctx, h.repo, h.env) // a name that is wrong is told by untracedFindings
	found := slices.DeleteFunc(slices.Clone(all), func(one agentHealth) bool {
		return !one.agent.Found(h.env) || slices.Contains(ignored, one.Name)
	})
	if len(found) == 0 {
		return nil
	}
	return &repair{"the agents' hooks are installed", func(ctx context.Context) error {
		for _, one := range found {
			if _, err := one.agent.Installer.Install(ctx, h.target(capability.ScopeRepo)); err != nil {
				return err
			}
		}
		return nil
	}}
}

// misnamedFindings tells of fetched logs that are not read, as their refs do not name who wrote them.
func misnamedFindings(list []events.Misnamed) []finding {
	var out []finding
	for _, m := range list {
		out = append(out, finding{
			What: "the fetched log " + m.Ref + " is not read: its name is not that of its writer",
			Mend: fmt.Sprintf("git update-ref %s %s && git update-ref -d %s", m.True, m.Ref, m.Ref),
		})
	}
	return out
}

// laterFindings says which git hooks wait for a process that is not there any more. The next hook starts another.
func (h *health) laterFindings() []finding {
	queue := later.Open(h.repo)
	n := queue.Len()
	if n == 0 || queue.Busy() {
		return nil
	}
	return []finding{{
		What: fmt.Sprintf("%s of git %s to be taken in", plural(n, "hook"), waits(n)),
		Mend: "git trace doctor --fix",
		fix: &repair{"what waited is taken in", func(ctx context.Context) error {
			return doLater(ctx, h.repo, func() {})
		}},
	}}
}

func waits(n int) string {
	if n > 1 {
		return "wait"
	}
	return "waits"
}

// spoolFindings says what waits to be appended to the log.
func (h *health) spoolFindings() []finding {
	files, err := h.log.Spooled()
	switch {
	case err != nil:
		return []finding{{What: "the spool cannot be read: " + err.Error(), Mend: "see whether this user may read it"}}
	case len(files) == 0:
		return nil
	}
	return []finding{{
		What: fmt.Sprintf("%s of events %s to be appended to the log", plural(len(files), "batch"), waits(len(files))),
		Mend: "git trace doctor --fix",
		fix: &repair{"the spool is appended to the log", func(ctx context.Context) error {
			_, err := h.log.Drain(ctx)
			return err
		}},
	}}
}

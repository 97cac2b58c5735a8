package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/hooks"
)

// hookFindings says what is wrong with the git hooks.
func (h *health) hookFindings(st hooks.Status) []finding {
	var out []finding
	off, absent := false, 0
	for _, one := range st.Hooks {
		if one.Works() {
			continue
		}
		f := finding{What: one.Hook + " hook " + hookProblem(one, h.shorten), Mend: "git trace doctor --fix", fix: h.reinstall}
		switch one.State {
		case hooks.Damaged:
			f.Mend, f.fix = hooks.Hint(hooks.ErrDamaged), nil
		case hooks.Blocked:
			f.Mend, f.fix = hooks.Hint(hooks.ErrBlocked), nil
		case hooks.Bypassed:
			off = off || strings.HasPrefix(one.Detail, "git runs no hooks")
		case hooks.Absent, hooks.ForeignOnly:
			absent++
		}
		out = append(out, f)
	}
	switch {
	case off:
		return []finding{{What: "git runs no hooks here (" + st.Source + ")", Mend: hooks.Hint(hooks.ErrHooksOff)}}
	case absent == len(st.Hooks):
		return []finding{{What: "no git hook is installed", Mend: "git trace init", fix: h.reinstall}}
	}
	return out
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
func (h *health) agentFindings(all []agentHealth) []finding {
	var out []finding
	traced := false
	for i := range all {
		traced = traced || all[i].Traced
		for j := range all[i].Targets {
			out = append(out, h.targetFindings(&all[i], &all[i].Targets[j])...)
		}
	}
	if !traced && len(out) == 0 {
		out = append(out, finding{What: "no agent is traced here", Mend: "git trace init", fix: h.reinstallAll(all)})
	}
	return out
}

func (h *health) targetFindings(agent *agentHealth, t *targetHealth) []finding {
	var install *capability.InstallError
	switch {
	case errors.As(t.err, &install):
		return []finding{{What: agent.Name + ": " + t.Error, Mend: install.Hint}}
	case t.err != nil:
		return []finding{{What: agent.Name + ": " + t.Error, Mend: "see whether " + h.shorten(t.Settings) + " can be read"}}
	case !t.touched():
		return nil
	}
	var out []finding
	again := &repair{agent.Name + ": hooks are installed again", func(ctx context.Context) error {
		_, err := agent.agent.Installer.Install(ctx, h.target(t.Scope))
		return err
	}}
	add := func(format string, args ...any) {
		out = append(out, finding{What: agent.Name + ": " + fmt.Sprintf(format, args...), Mend: "git trace doctor --fix", fix: again})
	}
	settings := h.shorten(t.Settings)
	if n := len(t.Missing); n > 0 {
		add("%s missing in %s (%s)", plural(n, "hook"), settings, strings.Join(t.Missing, ", "))
	}
	if n := len(t.Stale); n > 0 {
		add("%s out of date in %s (%s)", plural(n, "hook"), settings, strings.Join(t.Stale, ", "))
	}
	if !t.BinaryFound && t.Binary != "" {
		add("the hooks in %s call %s, which is not there", settings, h.shorten(t.Binary))
	}
	for _, by := range t.DisabledBy {
		out = append(out, finding{
			What: agent.Name + ": all hooks are switched off in " + h.shorten(by), Mend: "remove disableAllHooks from that file",
		})
	}
	return out
}

// reinstallAll installs the hooks of every agent as `git trace init` does.
func (h *health) reinstallAll(all []agentHealth) *repair {
	return &repair{"the agents' hooks are installed", func(ctx context.Context) error {
		for _, one := range all {
			if _, err := one.agent.Installer.Install(ctx, h.target(capability.ScopeRepo)); err != nil {
				return err
			}
		}
		return nil
	}}
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
	verb := "waits"
	if len(files) > 1 {
		verb = "wait"
	}
	return []finding{{
		What: fmt.Sprintf("%s of events %s to be appended to the log", plural(len(files), "batch"), verb),
		Mend: "git trace doctor --fix",
		fix: &repair{"the spool is appended to the log", func(ctx context.Context) error {
			_, err := h.log.Drain(ctx)
			return err
		}},
	}}
}

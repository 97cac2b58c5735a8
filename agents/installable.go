package agents

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/editors"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/refs"
)

// Installable lists the agents for which git-trace has hooks.
func Installable(env Env) []Agent {
	return slices.DeleteFunc(All(env), func(one Agent) bool { return one.Installer == nil })
}

// agent makes an agent whose installer writes the hook command for the scope of a target. A file that a project commits
// must not name a path on one person's machine. There the command finds the program on the PATH.
func (r registered) agent(env Env) Agent {
	own := r.make(env)
	if own.Installer == nil || env.Binary == "" { // a hook installs nothing
		return own
	}
	env.Binary = capability.HookProgram
	own.Installer = byScope{own.Installer, r.make(env).Installer}
	if own.Skills != "" {
		own.Installer = installer.WithSkill(env, own)
	}
	return own
}

// byScope has an agent's installer for one person, and its installer for everybody in a project.
type byScope struct{ own, project HookInstaller }

func (b byScope) of(target Target) HookInstaller {
	if target.Scope == ScopeProject {
		return b.project
	}
	return b.own
}

func (b byScope) Plan(ctx context.Context, target Target) ([]Action, error) {
	return b.of(target).Plan(ctx, target)
}

func (b byScope) Install(ctx context.Context, target Target) ([]Action, error) {
	return b.of(target).Install(ctx, target)
}

func (b byScope) Remove(ctx context.Context, target Target) ([]Action, error) {
	return b.of(target).Remove(ctx, target)
}

func (b byScope) Status(ctx context.Context, target Target) (Status, error) {
	return b.of(target).Status(ctx, target)
}

// IgnoreKey is the configuration key for agents and editors that the user does not want to trace; it may be given
// several times. Init skips them unless they are named, and status does not mention them.
const IgnoreKey = "trace.ignoreAgent"

// UnknownError reports an unknown name of an agent or editor.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string { return IgnoreKey + ": unknown agent '" + e.Name + "'" }

// Hint lists the known names.
func (e *UnknownError) Hint() string { return "known are " + strings.Join(e.Known, ", ") }

// Ignored returns the agents and editors that the key names. The error is an UnknownError if one does not exist.
func Ignored(ctx context.Context, repo *refs.Repo, env Env) ([]string, error) {
	config, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	return IgnoredBy(config, env)
}

// IgnoredBy does the same as [Ignored], for a configuration that was already read.
func IgnoredBy(config refs.Config, env Env) ([]string, error) {
	var known []string
	for _, one := range Installable(env) {
		known = append(known, one.Name)
	}
	for _, name := range editors.Names() {
		if !slices.Contains(known, name) { // Cursor is an agent and an editor
			known = append(known, name)
		}
	}
	names := config.All(IgnoreKey)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return names, &UnknownError{name, known}
		}
	}
	return names, nil
}

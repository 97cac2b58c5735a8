package installer

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"path"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
)

// skill tells an agent when to call git-trace, and for which questions. Clients read it when its subject comes up.
//
//go:embed skill.md
var skill []byte

// skillMark is in git-trace's skill, in every version.
const skillMark = "<!-- Written by `git trace init`"

// skillName is the path of the skill below a directory of skills.
const skillName = "git-trace/SKILL.md"

// skilled is an installer of hooks that also installs the skill. The skill never prevents the hooks: if it cannot be
// installed, or another skill has its name, only the hooks are installed.
type skilled struct {
	capability.HookInstaller
	skill *Installer
}

// WithSkill adds the skill to an agent's installer: in the user's settings directory, or in a directory of the work
// tree.
func WithSkill(env capability.Env, agent capability.Agent) capability.HookInstaller {
	return skilled{agent.Installer, &Installer{
		Env: env, Agent: agent.Name + " skill", Title: agent.Title, Format: skillFile{},
		User: agent.Dir, File: path.Join("skills", skillName), Repo: path.Dir(agent.Skills),
	}}
}

func (s skilled) Plan(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	return both(ctx, target, s.HookInstaller.Plan, s.skill.Plan)
}

// Install installs the hooks, then the skill.
func (s skilled) Install(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	return both(ctx, target, s.HookInstaller.Install, s.skill.Install)
}

// Remove removes the hooks and the skill. A skill that the project has committed must not be deleted by one person.
func (s skilled) Remove(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	return both(ctx, target, s.HookInstaller.Remove, s.remove)
}

func (s skilled) remove(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	if place, err := s.skill.Place(target); err == nil && place.Ignored != "" {
		if _, err := s.skill.wantsRule(ctx, place); err != nil {
			return nil, err
		}
	}
	return s.skill.Remove(ctx, target)
}

// `both` calls one function for the hooks and another one for the skill. If the actions for the skill were possible, it
// returns them too.
func both(ctx context.Context, target capability.Target,
	hooks, skill func(context.Context, capability.Target) ([]capability.Action, error),
) ([]capability.Action, error) {
	actions, err := hooks(ctx, target)
	if err != nil {
		return actions, err
	}
	more, err := skill(ctx, target)
	switch {
	case errors.As(err, new(*capability.InstallError)):
		return actions, nil
	case err != nil:
		return actions, err
	}
	for _, action := range more {
		if action.Events != nil {
			action.Events, action.Detail = nil, "skill"
		}
		actions = append(actions, action)
	}
	return actions, nil
}

// skillFile is the format of the skill: a whole file of git-trace's own.
type skillFile struct{}

func (skillFile) Install(doc []byte) ([]byte, []string, error) {
	switch {
	case bytes.Equal(doc, skill):
		return doc, nil, nil
	case doc != nil && !bytes.Contains(doc, []byte(skillMark)):
		return nil, nil, ErrForeign
	}
	return skill, []string{skillName}, nil
}

func (skillFile) Remove(doc []byte) ([]byte, []string, error) {
	if !bytes.Contains(doc, []byte(skillMark)) {
		return doc, nil, nil
	}
	return nil, []string{skillName}, nil
}

func (skillFile) Inspect([]byte) (hookfile.State, error) { return hookfile.State{}, nil }

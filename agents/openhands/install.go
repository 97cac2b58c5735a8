package openhands

import (
	"context"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
)

const (
	hooksFile  = "hooks.json"
	configName = ".openhands"
)

func (c *client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: c.configDir(), File: hooksFile, Repo: configName,
		Format:    installer.Hooks(c.env, Name, installer.Timeout, kinds.Names),
		Obstacles: c.obstacles, Refuse: c.refuse,
	}
}

func (c *client) configDir() string { return filepath.Join(c.env.Home, configName) }

// refuse protects the user's own hooks: if the repository has a hooks file, OpenHands reads no other.
func (c *client) refuse(target capability.Target) error {
	own := filepath.Join(c.configDir(), hooksFile)
	if target.Scope == capability.ScopeUser || target.Repo == nil || target.Repo.Bare() ||
		!installer.OthersOnly(own, Name) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(target.Repo.WorkTree, configName, hooksFile)); err == nil {
		return nil // the user's hooks do not run here anyway
	}
	return &capability.InstallError{
		Code: capability.CodeTarget, Message: "the hooks in " + own + " would no longer run here",
		Hint: "git trace init --global --agent openhands puts its hooks beside them",
	}
}

// obstacles reports that the user's hooks are not read because the repository has its own file.
func (c *client) obstacles(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
	if target.Scope != capability.ScopeUser || target.Repo == nil || target.Repo.Bare() {
		return nil, nil
	}
	path := filepath.Join(target.Repo.WorkTree, configName, hooksFile)
	if !installer.OthersOnly(path, Name) {
		return nil, nil
	}
	return []capability.Obstacle{{
		What: "OpenHands runs the hooks in " + path + " here, and none of yours",
		Mend: "git trace init --agent openhands --project-settings, where the project wants its hooks",
	}}, nil
}

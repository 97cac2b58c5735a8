package qwencode

import (
	"context"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/installer"
)

// hookTimeout is the number of seconds after which Qwen stops a hook.
const hookTimeout = 10

// projectDir is the directory of a project's settings, in the root of its work tree.
const projectDir = ".qwen"

func (c *Client) newInstaller() *installer.Installer {
	in := &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		Format:    installer.Hooks(c.env, Name, hookTimeout, kinds.Names).Commented(),
		Obstacles: c.obstacles, DisabledBy: c.config().DisabledBy,
	}
	in.Place = in.InDirs(c.config().Dir, geminihooks.SettingsFile, projectDir+"/"+geminihooks.SettingsFile)
	return in
}

func (c *Client) config() geminihooks.Config {
	dir := filepath.Join(c.env.Home, ".qwen")
	if own := c.env.Lookup("QWEN_HOME"); filepath.IsAbs(own) {
		dir = filepath.Clean(own)
	}
	return geminihooks.Config{Dir: dir, Project: projectDir}
}

func (c *Client) obstacles(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
	if target.Scope == capability.ScopeUser || c.config().Trusts(target.Repo.WorkTree) {
		return nil, nil
	}
	return []capability.Obstacle{{
		What: "Qwen Code does not run the hooks of a folder that you have not trusted",
		Mend: "start qwen here and trust the folder, or use `git trace init --agent qwen-code --global`, which works in " +
			"sub-directories too",
	}}, nil
}

package geminicli

import (
	"context"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/installer"
)

// hookTimeout is the number of milliseconds after which Gemini stops a hook.
const hookTimeout = 10_000

// projectDir is the directory of a project's settings, in the root of its work tree.
const projectDir = ".gemini"

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
	home := c.env.Home
	if dir := c.env.Lookup("GEMINI_CLI_HOME"); filepath.IsAbs(dir) {
		home = dir
	}
	return geminihooks.Config{Dir: filepath.Join(home, ".gemini"), Project: projectDir, AsksAlways: true}
}

func (c *Client) obstacles(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
	if target.Scope == capability.ScopeUser || c.config().Trusts(target.Repo.WorkTree) {
		return nil, nil
	}
	return []capability.Obstacle{{
		What: "Gemini CLI does not run the hooks of a folder that you have not trusted",
		Mend: "start gemini here and trust the folder, or use `git trace init --agent gemini-cli --global`, which works " +
			"in sub-directories too",
	}}, nil
}

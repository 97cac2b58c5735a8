package geminicli

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/installer"
)

// projectDir is the directory of a project's settings, in the root of its work tree.
const projectDir = ".gemini"

func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: c.config().Dir, File: geminihooks.SettingsFile, Repo: projectDir,
		Format:     installer.Hooks(c.env, Name, installer.Timeout*1000, kinds.Names).Commented(),
		DisabledBy: c.config().DisabledBy, Obstacles: c.config().Obstacles(Name, title, "gemini"),
	}
}

func (c *Client) config() geminihooks.Config {
	home := c.env.Home
	if dir := c.env.Lookup("GEMINI_CLI_HOME"); filepath.IsAbs(dir) {
		home = dir
	}
	return geminihooks.Config{Dir: filepath.Join(home, ".gemini"), Project: projectDir, AsksAlways: true}
}

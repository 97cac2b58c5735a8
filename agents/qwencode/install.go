package qwencode

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/geminihooks"
	"github.com/git-trace/git-trace/agents/installer"
)

// projectDir is the directory of a project's settings, in the root of its work tree.
const projectDir = ".qwen"

func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: c.config().Dir, File: geminihooks.SettingsFile, Repo: projectDir,
		Format:     installer.Hooks(c.env, Name, installer.Timeout, kinds.Names).Commented(),
		DisabledBy: c.config().DisabledBy, Obstacles: c.config().Obstacles(Name, title, "qwen"),
	}
}

func (c *Client) config() geminihooks.Config {
	dir := filepath.Join(c.env.Home, ".qwen")
	if own := c.env.Lookup("QWEN_HOME"); filepath.IsAbs(own) {
		dir = filepath.Clean(own)
	}
	return geminihooks.Config{Dir: dir, Project: projectDir}
}

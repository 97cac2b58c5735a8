package cursor

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
)

func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: c.name, Title: c.title, User: c.configDir(), File: "hooks.json", Repo: c.dir,
		Format: installer.Hooks(c.env, c.name, installer.Timeout, c.kinds.Names).In(hookfile.Flat),
	}
}

// configDir returns the directory of the user's hooks.
func (c *Client) configDir() string { return filepath.Join(c.env.Home, c.dir) }

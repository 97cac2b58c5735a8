package opencode

import (
	_ "embed"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/installer"
)

//go:embed plugin.js
var plugin []byte

// newInstaller installs the plugin for the user, or in the repository, where OpenCode finds it from every
// sub-directory.
func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, User: c.configDir(), File: "plugin/git-trace.js", Repo: ".opencode",
		Format: installer.Program(plugin, c.env.Binary, Name, kinds.Names()),
	}
}

// configDir returns the directory of the user's settings and plugins for OpenCode.
func (c *Client) configDir() string {
	if dir := c.env.Lookup("OPENCODE_CONFIG_DIR"); dir != "" {
		return filepath.Clean(dir)
	}
	if dir := c.env.Lookup("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "opencode")
	}
	return filepath.Join(c.env.Home, ".config", "opencode")
}

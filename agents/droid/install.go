package droid

import (
	"context"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

const (
	settingsFile = "settings.json"
	hooksFile    = "hooks.json" // since version 0.136; if it exists, hooks in the settings are not read
	olderFile    = "hooks/hooks.json"
	configName   = ".factory"
)

func (c *client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: c.configDir(), File: settingsFile, Repo: configName,
		Format:    installer.Hooks(c.env, Name, installer.Timeout, kinds.Names).Commented(),
		Obstacles: c.obstacles,
	}
}

func (c *client) configDir() string { return filepath.Join(c.env.Home, configName) }

// places returns the settings directories that Droid reads for a target; the target's own directory is last.
func (c *client) places(target capability.Target) []string {
	dirs := []string{c.configDir()}
	if target.Repo == nil || target.Repo.Bare() {
		return dirs
	}
	project := filepath.Join(target.Repo.WorkTree, configName)
	if target.Scope == capability.ScopeUser {
		return append([]string{project}, dirs...)
	}
	return append(dirs, project)
}

// obstacles reports files that disable all hooks, and a file next to the settings that replaces git-trace's hooks.
func (c *client) obstacles(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
	var out []capability.Obstacle
	dirs := c.places(target)
	for _, dir := range dirs {
		for _, name := range []string{settingsFile, hooksFile, olderFile} {
			path := filepath.Join(dir, name)
			if file, err := userfile.Read(path); err == nil && hookfile.Flag(file.Data, "hooksDisabled") {
				out = append(out, capability.Obstacle{
					What: "all hooks are switched off in " + path, Mend: "remove hooksDisabled from that file"})
			}
		}
	}
	if path := insteadOf(dirs[len(dirs)-1]); installer.OthersOnly(path, Name) {
		out = append(out, capability.Obstacle{
			What: "Droid reads " + path + " in the place of the hooks in " + settingsFile,
			Mend: `move what the file holds below "hooks" in ` + filepath.Join(dirs[len(dirs)-1], settingsFile),
		})
	}
	return out, nil
}

// insteadOf returns the file that Droid reads instead of the hooks in a directory's settings: hooks.json, otherwise
// hooks/hooks.json. The older file is ignored if its events are inside a member "hooks", as in settings.
func insteadOf(dir string) string {
	path := filepath.Join(dir, hooksFile)
	older := filepath.Join(dir, filepath.FromSlash(olderFile))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if file, err := userfile.Read(older); err == nil && len(rawjson.Member(file.Data, "hooks")) == 0 {
		return older
	}
	return path
}

package claudecode

import (
	"path/filepath"
	"runtime"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/refs"
)

// Claude reads settings from these places (measured with 2.1.328 in a repository with sub-directories, linked work
// trees, a bare `.git`, a bare `repo.git` and a submodule):
//
//   - the user's settings.json: always.
//   - .claude/settings.json: only from the directory in which Claude is started. It is not read from a sub-directory.
//   - .claude/settings.local.json: from the directory that contains the repository's `.git`, even if Claude is started
//     in a sub-directory or a linked work tree, and even if that `.git` is bare. For a submodule and for work trees of
//     a `repo.git`, that directory is the work tree itself.
//
// So settings.local.json is the right file for one repository. It applies to every session in the repository. It is
// also personal, so other people do not get the absolute path of this machine's program. When Claude creates the file,
// it excludes it from commits with a global ignore rule. If nothing ignores the file yet, Install adds its own rule
// (see package installer).

const (
	settingsName = "settings.json"
	localName    = "settings.local.json"
	configName   = ".claude"
)

// place returns the settings file of a target.
func (c *Client) place(target capability.Target) (installer.Place, error) {
	switch target.Scope {
	case capability.ScopeUser:
		dir := c.configDir()
		if !filepath.IsAbs(dir) {
			return installer.Place{}, &capability.InstallError{
				Code: capability.CodeTarget, Message: "the directory of Claude's user settings is not an absolute path",
				Hint: "set CLAUDE_CONFIG_DIR or HOME to an absolute path",
			}
		}
		return installer.Place{Path: filepath.Join(dir, settingsName), Root: filepath.Dir(dir),
			Made: c.env.MadeList()}, nil
	case capability.ScopeRepo, capability.ScopeProject:
		if target.Repo == nil || target.Repo.Bare() {
			return installer.Place{}, &capability.InstallError{
				Code: capability.CodeTarget, Message: "a repository without a work tree has no place for Claude's settings",
				Hint: "install for the user with `git trace init --global`",
			}
		}
		if target.Scope == capability.ScopeProject {
			root := target.Repo.WorkTree
			return installer.Place{Path: filepath.Join(root, configName, settingsName), Root: root, OnlyAtTop: true}, nil
		}
		root := localRoot(target.Repo)
		return installer.Place{
			Path: filepath.Join(root, configName, localName), Root: root, Ignored: configName + "/" + localName,
		}, nil
	}
	return installer.Place{}, &capability.InstallError{
		Code: capability.CodeTarget, Message: title + " has no settings of scope " + string(target.Scope),
	}
}

// configDir returns the directory of the user's settings for Claude.
func (c *Client) configDir() string { return c.env.Dir("CLAUDE_CONFIG_DIR", configName) }

// localRoot returns the directory with the .claude folder of a repository's personal settings.
func localRoot(repo *refs.Repo) string {
	if repo.Linked() && filepath.Base(repo.CommonDir) == ".git" {
		return filepath.Dir(repo.CommonDir)
	}
	return repo.WorkTree
}

// managedSettings returns the file of an administrator's settings, which can disable all other hooks.
func managedSettings() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

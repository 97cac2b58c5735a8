package claudecode

import (
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
)

// hookEvents lists the events for which an entry is installed. StopFailure, PostCompact and CwdChanged are decoded but
// not installed. Clients from before early 2026 do not know them and therefore ignore the whole settings file,
// including the user's own settings. These events are not needed: the next prompt or the end of the session closes a
// failed turn, PreCompact comes before PostCompact, and every payload has the current directory.
var hookEvents = [...]string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart",
	"SubagentStop", "PreCompact", "SessionEnd",
}

// newerEvents lists events for which an entry is installed only if the client on the PATH is known to have them
// (newerSince): older clients ignore the whole settings file.
var newerEvents = [...]string{"PermissionRequest", "PostToolBatch"}

// newInstaller returns the installer of entries in Claude's settings files. Without a time limit, Claude stops the hook
// of SessionEnd after about a second.
func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title,
		Format: installer.Hooks(c.env, Name, installer.Timeout, c.wanted),
		Own:    c.place, DisabledBy: c.disabledBy, Obstacles: c.obstacles,
	}
}

// `wanted` returns the events for which an entry is installed. It uses no pattern to exclude reading tools: the pattern
// would have to be negative, and such a hook takes only a few milliseconds.
func (c *Client) wanted() []string {
	if capability.Newer(newerSince, c.version()) {
		return hookEvents[:]
	}
	return slices.Concat(hookEvents[:], newerEvents[:])
}

// disabledBy returns the settings files that prevent the target's hooks from running.
func (c *Client) disabledBy(target capability.Target) []string {
	paths := []string{filepath.Join(c.configDir(), settingsName)}
	if target.Repo != nil && !target.Repo.Bare() {
		paths = append(paths,
			filepath.Join(target.Repo.WorkTree, configName, settingsName),
			filepath.Join(localRoot(target.Repo), configName, localName))
	}
	var disabled []string
	for _, path := range paths {
		if file, err := userfile.Read(path); err == nil && hookfile.Flag(file.Data, "disableAllHooks") {
			disabled = append(disabled, path)
		}
	}
	managed := managedSettings()
	if file, err := userfile.Read(managed); err == nil &&
		(hookfile.Flag(file.Data, "disableAllHooks") || hookfile.Flag(file.Data, "allowManagedHooksOnly")) {
		disabled = append(disabled, managed)
	}
	return disabled
}

package claudecode

import (
	"context"
	"os/exec"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/userfile"
)

// Status tells which entries are there and whether anything keeps them from running.
func (c *Client) Status(_ context.Context, target capability.Target) (capability.Status, error) {
	path, err := c.settingsPath(target)
	if err != nil {
		return capability.Status{}, err
	}
	status := capability.Status{Settings: path}
	file, err := readSettings(path)
	if err != nil {
		return status, err
	}
	state, err := hookfile.Inspect(file.Data, c.entries(), c.ours)
	if err != nil {
		return status, settingsError(path, err)
	}
	status.Present, status.Missing, status.Stale = state.Present, state.Missing, state.Stale
	status.Installed = len(state.Missing) == 0 && len(state.Stale) == 0
	if len(state.Commands) > 0 {
		status.Binary, _, _, _ = hookfile.ParseCommand(state.Commands[0])
		_, err := exec.LookPath(status.Binary)
		status.BinaryFound = err == nil
	}
	status.DisabledBy = c.disabledBy(target)
	return status, nil
}

// disabledBy lists the settings files that keep the target's hooks from running.
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

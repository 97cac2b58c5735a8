package copilotcli

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
)

// newInstaller installs a file of git-trace's own, because Copilot reads all files in its hook directories.
func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: c.configDir(), File: "hooks/git-trace.json", Repo: ".github",
		Format: installer.OwnFile{Content: c.file(), Events: c.decoder().Events(), Command: c.command},
		Obstacles: installer.Untrusted(c.trusts, capability.Obstacle{
			What: "Copilot CLI does not run the hooks of a folder that you have not trusted, nor where you go on with a " +
				"conversation there",
			Mend: "start copilot here and trust the folder for good, or use `git trace init --agent copilot-cli --global`, " +
				"which works in sub-directories too",
		}),
	}
}

// handler is a hook in Copilot's form.
type handler struct {
	Type    string `json:"type"`
	Bash    string `json:"bash"`
	Timeout int    `json:"timeoutSec"`
}

// file returns the expected settings file.
func (c *Client) file() []byte {
	hooks := map[string][]handler{}
	for _, event := range c.decoder().Events() {
		hooks[event] = []handler{{"command", hookfile.Command(c.env.Binary, Name, event), installer.Timeout}}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(map[string]any{"version": 1, "hooks": hooks}) // strings and numbers: no error is possible
	return out.Bytes()
}

// command returns the command line in git-trace's file, of any version; false for a file with other programs' hooks.
func (c *Client) command(doc []byte) (string, bool) {
	var file struct {
		Hooks map[string][]handler `json:"hooks"`
	}
	if json.Unmarshal(doc, &file) != nil {
		return "", false
	}
	ours := installer.Ours(c.env.Binary, Name)
	command := ""
	for _, handlers := range file.Hooks {
		for _, one := range handlers {
			if !ours(one.Bash) {
				return "", false
			}
			command = one.Bash
		}
	}
	return command, command != ""
}

// configDir returns the directory of the user's settings and session files for Copilot.
func (c *Client) configDir() string {
	if dir := c.env.Lookup("COPILOT_HOME"); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(c.env.Home, ".copilot")
}

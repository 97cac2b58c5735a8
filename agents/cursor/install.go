package cursor

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
)

// hookTimeout is after how many seconds Cursor ends a hook.
const hookTimeout = 10

const hooksFile = "hooks.json"

func (c *Client) newInstaller() *installer.Installer {
	in := &installer.Installer{
		Env: c.env, Agent: Name, Title: title,
		Format: installer.Settings{Entries: c.entries, Ours: installer.Ours(c.env.Binary, Name)},
	}
	in.Place = in.InDirs(c.configDir(), hooksFile, ".cursor/"+hooksFile)
	return in
}

func (c *Client) entries() []hookfile.Entry {
	list := make([]hookfile.Entry, len(kinds))
	for i, k := range kinds {
		list[i] = hookfile.Entry{
			Event: k.Name, Command: hookfile.Command(c.env.Binary, Name, k.Name), Timeout: hookTimeout, Form: hookfile.Flat,
		}
	}
	return list
}

// configDir returns the directory of the user's hooks for Cursor.
func (c *Client) configDir() string { return filepath.Join(c.env.Home, ".cursor") }

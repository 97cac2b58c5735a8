package cursor

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
)

// hookTimeout is the number of seconds after which the agent stops a hook.
const hookTimeout = 10

const hooksFile = "hooks.json"

func (c *Client) newInstaller() *installer.Installer {
	in := &installer.Installer{
		Env: c.env, Agent: c.name, Title: c.title,
		Format: installer.Settings{Entries: c.entries, Ours: installer.Ours(c.env.Binary, c.name)},
	}
	in.Place = in.InDirs(c.configDir(), hooksFile, c.dir+"/"+hooksFile)
	return in
}

func (c *Client) entries() []hookfile.Entry {
	list := make([]hookfile.Entry, len(c.kinds))
	for i, k := range c.kinds {
		list[i] = hookfile.Entry{
			Event: k.Name, Command: hookfile.Command(c.env.Binary, c.name, k.Name), Timeout: hookTimeout, Form: hookfile.Flat,
		}
	}
	return list
}

// configDir returns the directory of the user's hooks.
func (c *Client) configDir() string { return filepath.Join(c.env.Home, c.dir) }

package pi

import (
	_ "embed"
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
)

//go:embed extension.ts
var extension []byte

func (c *Client) newInstaller() *installer.Installer {
	return &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true,
		User: configDir(c.env), File: "extensions/git-trace.ts", Repo: ".pi",
		Format: installer.Program(extension, c.env.Binary, Name, kinds.Names()),
		Obstacles: installer.Untrusted(c.trusts, capability.Obstacle{
			What: "newer versions of Pi do not load the extension of a project that you have not trusted",
			Mend: "start pi here and trust the project, or use `git trace init --agent pi --global`, which works in " +
				"sub-directories too",
		}),
	}
}

// configDir returns the directory of the user's settings, extensions and sessions for Pi.
func configDir(env capability.Env) string { return env.Dir("PI_CODING_AGENT_DIR", ".pi", "agent") }

// `trusts` reports the user's decision for a directory: the nearest decision at the directory or above, otherwise the
// default.
func (c *Client) trusts(dir string) bool {
	decisions := map[string]*bool{}
	if file, err := userfile.Read(filepath.Join(configDir(c.env), "trust.json")); err == nil {
		_ = json.Unmarshal(file.Data, &decisions) // an unreadable file has no decisions
	}
	for {
		if decision := decisions[dir]; decision != nil {
			return *decision
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	var settings struct {
		Default string `json:"defaultProjectTrust"`
	}
	if file, err := userfile.Read(filepath.Join(configDir(c.env), "settings.json")); err == nil {
		_ = json.Unmarshal(file.Data, &settings)
	}
	return settings.Default == "always"
}

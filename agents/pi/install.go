package pi

import (
	"context"
	_ "embed"
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
)

//go:embed extension.ts
var extension []byte

const fileName = "git-trace.ts"

func (c *Client) newInstaller() *installer.Installer {
	in := &installer.Installer{
		Env: c.env, Agent: Name, Title: title, OnlyAtTop: true, Obstacles: c.obstacles,
		Format: installer.Program(extension, c.env.Binary, Name, kinds.Names()),
	}
	in.Place = in.InDirs(c.configDir(), "extensions/"+fileName, ".pi/extensions/"+fileName)
	return in
}

// configDir returns the directory of the user's settings and extensions for Pi.
func (c *Client) configDir() string {
	if dir := c.env.Lookup("PI_CODING_AGENT_DIR"); dir != "" {
		return filepath.Clean(dir)
	}
	return filepath.Join(c.env.Home, ".pi", "agent")
}

// obstacles reports that Pi may not load a project's extension: newer versions load it only if the user trusts the
// project.
func (c *Client) obstacles(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
	if target.Scope == capability.ScopeUser || c.trusts(target.Repo.WorkTree) {
		return nil, nil
	}
	return []capability.Obstacle{{
		What: "newer versions of Pi do not load the extension of a project that you have not trusted",
		Mend: "start pi here and trust the project, or use `git trace init --agent pi --global`, which works in " +
			"sub-directories too",
	}}, nil
}

// `trusts` reports the user's decision for a directory: the nearest decision at the directory or above, otherwise the
// default.
func (c *Client) trusts(dir string) bool {
	decisions := map[string]*bool{}
	if file, err := userfile.Read(filepath.Join(c.configDir(), "trust.json")); err == nil {
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
	if file, err := userfile.Read(filepath.Join(c.configDir(), "settings.json")); err == nil {
		_ = json.Unmarshal(file.Data, &settings)
	}
	return settings.Default == "always"
}

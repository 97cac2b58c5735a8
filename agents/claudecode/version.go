package claudecode

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
)

// newerSince is a version of the client that has the events PermissionRequest and PostToolBatch, according to its
// documentation of April 2026.
const newerSince = "2.1.121"

// hooksSince is the first version of the client that runs hooks, according to its changelog.
const hooksSince = "1.0.38"

// obstacles reports a client that is too old for hooks.
func (c *Client) obstacles(context.Context, capability.Target) ([]capability.Obstacle, error) {
	version := c.version()
	if version == "" || !capability.Newer(hooksSince, version) {
		return nil, nil
	}
	return []capability.Obstacle{{
		What: "Claude Code " + version + " on the PATH runs no hooks, so nothing of it will be recorded",
		Mend: "update it to " + hooksSince + " or later",
	}}, nil
}

// version returns the version of the client on the PATH, without starting a process. The client's own installer names
// the directory of each version after it; npm stores the version in the manifest of the package. The result is "" if
// neither exists.
func (c *Client) version() string {
	for _, dir := range filepath.SplitList(c.env.Lookup("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		program, err := filepath.EvalSymlinks(filepath.Join(dir, "claude"))
		if err != nil {
			continue
		}
		if filepath.Base(filepath.Dir(program)) == "versions" {
			return filepath.Base(program)
		}
		for range 3 {
			program = filepath.Dir(program)
			var manifest struct{ Name, Version string }
			raw, err := os.ReadFile(filepath.Join(program, "package.json"))
			if err == nil && json.Unmarshal(raw, &manifest) == nil &&
				strings.HasPrefix(manifest.Name, "@anthropic-ai/claude-code") {
				return manifest.Version
			}
		}
		return ""
	}
	return ""
}

package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoNPM means that npm, which installs clients, is not in PATH.
var ErrNoNPM = errors.New("npm is not on the PATH (it comes with Node.js)")

// Install installs the pinned version of a client into root, and returns the path of its program. If that version is
// installed, it does nothing. It does not run install scripts of packages: the native program needs none. The parameter
// `log` receives npm's output.
func Install(ctx context.Context, c Client, root string, log io.Writer) (string, error) {
	if path, err := c.find(root); err == nil {
		return path, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("install %s: %w", c.Name, ErrNoNPM)
	}
	dir := filepath.Join(root, c.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("install %s: %w", c.Name, err)
	}
	manifest, err := json.MarshalIndent(map[string]any{
		"name": "git-trace-agent-" + c.Name, "private": true,
		"dependencies": c.packages(),
	}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("install %s: %w", c.Name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o644); err != nil {
		return "", fmt.Errorf("install %s: %w", c.Name, err)
	}
	cmd := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--include=optional")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("install %s: npm install %s@%s: %w", c.Name, c.Package, c.Version, err)
	}
	path, err := c.find(root)
	if err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	return path, nil
}

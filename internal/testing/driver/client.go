package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Client is a coding agent's client that the driver can install and run.
type Client struct {
	Name    string // the client's name in this package
	Package string // npm package of the client
	Version string // the version for which scripts and expectations were written

	with     map[string]string // further npm packages that it needs, with their versions
	binaries []string          // patterns below node_modules; the first match is the client
	node     bool              // the match is a script for the Node.js of nodePackage
	runner   runner
}

// nodeVersion is the version of Node.js for clients in JavaScript. Some clients refuse the version on the machine.
const nodeVersion = "24.21.0"

// nodePackage returns the npm package with Node.js for this platform.
func nodePackage() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return "node-" + runtime.GOOS + "-" + arch
}

// Clients returns the clients with their pinned versions.
func Clients() []Client {
	return []Client{
		{
			Name: "claude", Package: "@anthropic-ai/claude-code", Version: "2.1.328",
			binaries: []string{"@anthropic-ai/claude-code-*/claude"},
			runner:   claude{},
		},
		{
			Name: "codex", Package: "@openai/codex", Version: "0.169.0",
			binaries: []string{"@openai/codex-*/vendor/*/bin/codex"},
			runner:   codex{},
		},
		{
			Name: "pi", Package: "@earendil-works/pi-coding-agent", Version: "0.87.1",
			binaries: []string{"@earendil-works/pi-coding-agent/dist/bundle/cli.js"}, node: true,
			runner: pi{},
		},
		{ // name and version from before the package was renamed
			Name: "pi-old", Package: "@mariozechner/pi-coding-agent", Version: "0.73.1",
			binaries: []string{"@mariozechner/pi-coding-agent/dist/cli.js"}, node: true,
			runner: pi{},
		},
		{
			Name: "opencode", Package: "opencode-ai", Version: "1.18.33",
			with:     map[string]string{"@opencode-ai/plugin": "1.18.33"},
			binaries: []string{"opencode-*/bin/opencode"},
			runner:   opencode{},
		},
		{
			Name: "gemini", Package: "@google/gemini-cli", Version: "0.61.0",
			binaries: []string{"@google/gemini-cli/bundle/gemini.js"}, node: true,
			runner: geminiCLI{},
		},
		{
			Name: "qwen", Package: "@qwen-code/qwen-code", Version: "0.24.4",
			binaries: []string{"@qwen-code/qwen-code/cli-entry.js"}, node: true,
			runner: qwen{},
		},
		{
			Name: "copilot", Package: "@github/copilot", Version: "1.0.102",
			binaries: []string{"@github/copilot-*/copilot"},
			runner:   copilot{},
		},
		{
			Name: "droid", Package: droidPackage(), Version: "0.225.2",
			binaries: []string{droidPackage() + "/bin/droid"},
			runner:   droid{},
		},
		{
			Name: "cline", Package: clinePackage(), Version: "3.0.65",
			binaries: []string{clinePackage() + "/bin/cline"},
			runner:   cline{},
		},
		{
			Name: "amp", Package: ampPackage(), Version: "0.0.1790142911-g7618fb",
			binaries: []string{ampPackage() + "/amp"},
			runner:   amp{},
		},
	}
}

// packages returns the npm packages for the client, with their versions.
func (c Client) packages() map[string]string {
	all := map[string]string{c.Package: c.Version}
	maps.Copy(all, c.with)
	if c.node {
		all[nodePackage()] = nodeVersion
	}
	return all
}

// command returns the program that runs the client at `path`, and its first arguments.
func (c Client) command(path string) (program string, args []string) {
	if !c.node {
		return path, nil
	}
	modules, _, _ := strings.Cut(path, string(filepath.Separator)+filepath.FromSlash(c.Package))
	return filepath.Join(modules, nodePackage(), "bin", "node"), []string{path}
}

// ClientNamed finds a client of [Clients] by its name.
func ClientNamed(name string) (Client, error) {
	all := Clients()
	if i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name }); i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return Client{}, fmt.Errorf("no client %q (known: %s)", name, strings.Join(names, ", "))
}

// Root returns the directory of all installed clients, one directory each: $GITTRACE_AGENTS, or git-trace-agents in the
// user's cache ($XDG_CACHE_HOME, or ~/.cache).
func Root() (string, error) {
	if dir := os.Getenv("GITTRACE_AGENTS"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "git-trace-agents"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("directory of the clients: %w", err)
	}
	return filepath.Join(home, ".cache", "git-trace-agents"), nil
}

// Find returns the path of an installed client in its pinned version. If it is not installed, the path is empty, and
// reason is a text for t.Skip.
func Find(name string) (path, reason string) {
	c, err := ClientNamed(name)
	if err != nil {
		return "", err.Error()
	}
	root, err := Root()
	if err != nil {
		return "", err.Error()
	}
	path, err = c.find(root)
	if err != nil {
		return "", fmt.Sprintf("%v; install it with: go run ./internal/testing/driver/install %s", err, name)
	}
	return path, ""
}

func (c Client) find(root string) (string, error) {
	modules := filepath.Join(root, c.Name, "node_modules")
	data, err := os.ReadFile(filepath.Join(modules, filepath.FromSlash(c.Package), "package.json"))
	if err != nil {
		return "", fmt.Errorf("%s %s is not installed in %s", c.Name, c.Version, root)
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return "", fmt.Errorf("%s: read package.json: %w", c.Name, err)
	}
	if manifest.Version != c.Version {
		return "", fmt.Errorf("%s is installed as %s, not as %s", c.Name, manifest.Version, c.Version)
	}
	for _, pattern := range c.binaries {
		found, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(pattern)))
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.Name, err)
		}
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (c.node || info.Mode()&0o111 != 0) {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s %s is installed without a binary for this platform", c.Name, c.Version)
}

package codexcli

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
)

// shortTimeout is the number of seconds to which Codex reduces the limits of SessionEnd and Interrupt. Without a limit,
// the hook of SessionEnd is stopped after one second.
const shortTimeout = 3

// Installer installs the hooks in hooks.json: the user's file, or a project's file, which Codex reads in every
// sub-directory of a trusted project.
type Installer struct {
	*installer.Installer
	client *Client
}

var (
	_ capability.HookInstaller = (*Installer)(nil)
	_ capability.HookTrust     = (*Installer)(nil)
)

func (c *Client) newInstaller() *Installer {
	in := &Installer{client: c, Installer: &installer.Installer{
		Env: c.env, Agent: Name, Title: title, User: configDir(c.env), File: "hooks.json", Repo: ".codex",
		Format: installer.Settings{Entries: c.entries, Ours: c.ours()},
	}}
	in.Obstacles = in.obstacles
	return in
}

func (c *Client) ours() hookfile.Ours { return installer.Ours(c.env.Binary, Name) }

func (c *Client) entries() []hookfile.Entry {
	list := installer.Hooks(c.env, Name, installer.Timeout, kinds.Names).Entries()
	for i := range list {
		list[i].Timeout = clamp(list[i].Event, list[i].Timeout)
	}
	return list
}

// clamp returns the limit that Codex gives a hook for which this limit is configured.
func clamp(event string, seconds int) int {
	if event == "SessionEnd" || event == "Interrupt" {
		return min(seconds, shortTimeout)
	}
	return seconds
}

// Remove removes the entries and the recorded consent for them.
func (in *Installer) Remove(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	withdrawn, err := in.withdraw(target)
	if err != nil {
		return withdrawn, err
	}
	removed, err := in.Installer.Remove(ctx, target)
	return append(removed, withdrawn...), err
}

// obstacles checks Codex's conditions for hooks: hooks are enabled, the project is trusted, and each hook is trusted.
func (in *Installer) obstacles(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
	conf, err := in.client.readConfig()
	if err != nil {
		return nil, err
	}
	var out []capability.Obstacle
	if hooks, found := conf.get("features", "hooks"); found && !hooks.set {
		out = append(out, capability.Obstacle{
			What: "hooks are switched off in " + conf.file.Path, Mend: "remove hooks = false from [features] in that file",
		})
	}
	if target.Scope != capability.ScopeUser && !conf.projectTrusted(target.Repo) {
		out = append(out, capability.Obstacle{
			What: "Codex does not trust this project, so it does not read the project's hooks",
			Mend: "start codex here once and say that you trust the project, or use `git trace init --agent codex-cli --global`",
		})
	}
	hooks, path, err := in.located(target)
	if err != nil {
		return nil, err
	}
	if n := len(pending(&conf, path, hooks)); n > 0 {
		out = append(out, capability.Obstacle{
			What: fmt.Sprintf("Codex does not run %d of the hooks in %s until you allow them", n, path), Untrusted: true,
			Mend: "allow them in codex with /hooks, or have git-trace record that you do: git trace init --agent codex-cli" +
				scopeFlag(target.Scope) + " --trust-hooks",
		})
	}
	return out, nil
}

func scopeFlag(scope capability.Scope) string {
	switch scope {
	case capability.ScopeUser:
		return " --global"
	case capability.ScopeProject:
		return " --project-settings"
	case capability.ScopeRepo:
	}
	return ""
}

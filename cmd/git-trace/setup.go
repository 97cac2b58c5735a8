package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

func setupCommand() *command {
	return &command{
		Name: "setup",
		Does: "record every repository in which you start an agent, once for this machine",
		Form: "git trace setup [--agent <name>]… [--below <directory>]… [--trust-hooks] [--dry-run]\n" +
			"git trace setup --undo [--dry-run]",
		About: "Installs the agents' hooks in your own settings. When you start or prompt an agent in a\n" +
			"repository below the directories of trace.record (default: your home directory), git-trace enrols\n" +
			"that repository in the background, like git trace init. trace.ignore lists directories that stay\n" +
			"out, and git trace uninstall adds a repository to them. A repository whose own configuration\n" +
			"names programs or other places is not enrolled: use git trace init there.\n" +
			"git trace setup --undo removes everything except the recorded data.",
		Options: options("agent", "below", "trust-hooks", "undo", "dry-run"),
		Examples: []example{
			{"git trace setup --dry-run", "show what it would do on this machine"},
			{"git trace setup --undo --dry-run", "show what it would remove"},
		},
		Run: func(a *app, c *call, _ operands) error {
			if !c.Bool("undo") {
				return a.setUp(c)
			}
			if c.IsSet("agent") || c.IsSet("below") || c.IsSet("trust-hooks") {
				return exit.Usage("--undo removes everything: it excludes --agent, --below and --trust-hooks")
			}
			return a.undoSetup(c)
		},
		Traits: alone | atOnce,
		Tries:  []string{"--dry-run --below .", "--dry-run", "--undo --dry-run", "--below nowhere"},
	}
}

// forMachine returns the installation in the user's own settings, without a repository.
func forMachine(ctx context.Context, names []string) (*installation, error) {
	env, err := capability.SystemEnv()
	if err != nil {
		return nil, err
	}
	in := &installation{env: env, target: capability.Target{Scope: capability.ScopeUser}}
	if in.agents, err = chooseAgents(env, names); err != nil || len(names) > 0 {
		return in, err
	}
	config, err := refs.OwnConfig(ctx)
	if err != nil {
		return nil, err
	}
	return in, in.onlyFoundBy(config)
}

func (a *app) setUp(c *call) error {
	in, err := forMachine(c.Context, c.StringSlice("agent"))
	if err != nil {
		return err
	}
	below, err := a.directoriesBelow(c)
	if err != nil {
		return err
	}
	planned, err := in.planAgents(c.Context, nil)
	if err != nil {
		return explainInstall(err)
	}
	prefix := ""
	if c.Bool("dry-run") {
		prefix = "would "
	} else {
		if err := recorded.CheckPlace(); err != nil {
			return explainList(err)
		}
		for _, agent := range in.agents {
			if _, err := agent.Installer.Install(c.Context, in.target); err != nil {
				return explainInstall(fmt.Errorf("%s: %w", agent.Name, err))
			}
		}
		if err := writeSetup(c.Context, recorded.RecordKey, below); err != nil {
			return err
		}
	}
	a.printActions(planned, prefix)
	for _, dir := range below {
		fmt.Fprintf(a.std.out, "%-12s %sset %s = %s\n", "git", prefix, recorded.RecordKey, cells.Message(dir))
	}
	if prefix != "" {
		return a.tellPassed(in)
	}
	allowed, err := a.obtainConsent(c.Context, in, c.Bool("trust-hooks"))
	if err != nil {
		return explainInstall(err)
	}
	a.printActions(allowed, "")
	config, err := refs.OwnConfig(c.Context)
	if err != nil {
		return err
	}
	if value := a.asksSummary(config); value != "" {
		if err := writeSetup(c.Context, runner.SummaryKey, []string{value}); err != nil {
			return err
		}
		a.tellSummary(value)
	}
	fmt.Fprintln(a.std.out, "repositories are recorded from the next prompt of an agent in them\n"+
		"next: start an agent in one of yours, then git trace status")
	return errors.Join(a.tellObstacles(c.Context, in), a.tellPassed(in))
}

// directoriesBelow returns the directories whose repositories will be enrolled: the named ones, or the user's answer,
// or the home directory. It returns none if the configuration already has some.
func (a *app) directoriesBelow(c *call) ([]string, error) {
	config, err := refs.OwnConfig(c.Context)
	if err != nil {
		return nil, err
	}
	has := config.Paths(recorded.RecordKey)
	named := c.StringSlice("below")
	if len(named) == 0 && len(has) == 0 {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, exit.Fail(exit.Misuse, err, "--below DIR names the directory of your repositories")
		}
		named = []string{home}
		if answer := a.asked("record repositories below which directory?", home); answer != "" {
			named = []string{answer}
		}
	}
	var out []string
	for _, dir := range named {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return nil, exit.Fail(exit.Misuse, fmt.Errorf("'%s' is not a directory", dir), "")
		}
		if !slices.Contains(has, abs) && !slices.Contains(out, abs) {
			out = append(out, abs)
		}
	}
	return out, nil
}

// writeSetup adds values to the user's configuration, and notes them for undoSetup.
func writeSetup(ctx context.Context, key string, values []string) error {
	set, err := recorded.ReadSetup()
	if errors.Is(err, fs.ErrNotExist) {
		set, err = &recorded.Setup{}, nil
	}
	if err != nil {
		return err
	}
	for _, value := range values {
		file, err := userConfig()
		if err != nil {
			return err
		}
		_, missing := os.Lstat(file)
		if _, err := refs.GitNowhere(ctx, "config", "--global", "--add", key, value); err != nil {
			return err
		}
		if errors.Is(missing, fs.ErrNotExist) {
			set.Made = file
		}
		set.Values = append(set.Values, [2]string{key, value})
	}
	return set.Write()
}

// userConfig returns the file that git config --global writes (git-config(1), FILES).
func userConfig() (string, error) {
	if file := os.Getenv("GIT_CONFIG_GLOBAL"); file != "" {
		return file, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(home, ".gitconfig")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		dir = filepath.Join(home, ".config")
	}
	if other := filepath.Join(dir, "git", "config"); fileExists(other) {
		return other, nil
	}
	return file, nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// undoSetup removes the agents' hooks, the settings and the enrolled repositories.
func (a *app) undoSetup(c *call) error {
	set, err := recorded.ReadSetup()
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(a.std.out, "git trace setup was not run; nothing to do")
		return nil
	}
	if err != nil {
		return err
	}
	env, err := capability.SystemEnv()
	if err != nil {
		return err
	}
	in := &installation{env: env, agents: agents.Installable(env), target: capability.Target{Scope: capability.ScopeUser}}
	enrolled := recorded.AllEnrolled()
	if c.Bool("dry-run") {
		a.planAgents(c.Context, in)
		for _, kv := range set.Values {
			fmt.Fprintf(a.std.out, "%-12s would unset %s = %s\n", "git", kv[0], cells.Message(kv[1]))
		}
		for _, dir := range enrolled {
			fmt.Fprintf(a.std.out, "%-12s would stop recording %s\n", "git", cells.Message(dir))
		}
		return nil
	}
	if _, err := a.removeAgents(c.Context, in); err != nil {
		return err
	}
	for _, kv := range set.Values {
		_, err := refs.GitNowhere(c.Context, "config", "--global", "--fixed-value", "--unset-all", kv[0], kv[1])
		var failed *refs.GitError
		if err != nil && (!errors.As(err, &failed) || failed.Code != gitHasNoValue) {
			return err
		}
		fmt.Fprintf(a.std.out, "%-12s unset %s = %s\n", "git", kv[0], cells.Message(kv[1]))
	}
	if info, err := os.Stat(set.Made); err == nil && info.Size() == 0 {
		if err := os.Remove(set.Made); err != nil {
			return err
		}
	}
	for _, dir := range enrolled {
		if err := a.leaveEnrolled(c.Context, dir); err != nil {
			return err
		}
	}
	return recorded.RemoveSetup()
}

// gitHasNoValue is the exit status of git config --unset for a missing value.
const gitHasNoValue = 5

// leaveEnrolled removes the hooks from an enrolled repository.
func (a *app) leaveEnrolled(ctx context.Context, gitDir string) error {
	repo, err := refs.Discover(filepath.Dir(gitDir))
	if err != nil || repo.CommonDir != gitDir {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s cannot be opened; its hooks stay\n", cells.Message(gitDir))
		return nil //nolint:nilerr // it is reported
	}
	in, err := hooksOf(repo)
	if err != nil {
		return err
	}
	if _, err := in.Remove(ctx); err != nil {
		return explainInstall(err)
	}
	if err := recorded.Remove(repo); err != nil {
		return fmt.Errorf("stop recording: %w", err)
	}
	fmt.Fprintf(a.std.out, "%-12s stopped recording %s\n", "git", cells.Message(repo.WorkTree))
	return nil
}

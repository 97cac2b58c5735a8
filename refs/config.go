package refs

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Config is git's whole configuration for one work tree, in the order of precedence: the last entry for a key wins.
type Config struct {
	entries []configEntry
}

// Setting is one variable as git lists it.
type Setting struct {
	Scope   string // "system", "global", "local", "worktree" or "command"
	File    string // the file of the variable, or ""; a relative path starts at the top of the work tree
	Key     string
	Value   string // "true" for a key without a value
	NoValue bool
}

// listings caches git's listings of settings by work tree, for one context.
type listings struct{ byDir sync.Map }

type listingsKey struct{}

// SettingsOnce returns a context in which git lists the settings of a work tree only once, and again after a call of
// Git has changed them. It is for short-lived commands.
func SettingsOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, listingsKey{}, &listings{})
}

// settingsChange drops the cached listings if git's arguments change a configuration.
func settingsChange(ctx context.Context, args []string) {
	asks := func(arg string) bool { return strings.HasPrefix(arg, "--get") || arg == "--list" }
	if kept, ok := ctx.Value(listingsKey{}).(*listings); ok && args[0] == "config" && !slices.ContainsFunc(args, asks) {
		kept.byDir.Clear()
	}
}

// Settings returns all variables that apply to a work tree, the least important first. Git resolves includes and
// scopes.
func (r *Repo) Settings(ctx context.Context) ([]Setting, error) {
	list := func() ([]Setting, error) {
		out, err := r.Git(ctx, nil, "config", "-z", "--list", "--show-scope", "--show-origin")
		if err != nil {
			return nil, fmt.Errorf("read configuration: %w", err)
		}
		return parseSettings(string(out)), nil
	}
	if kept, ok := ctx.Value(listingsKey{}).(*listings); ok {
		once, _ := kept.byDir.LoadOrStore(r.GitDir+"\x00"+r.WorkTree, sync.OnceValues(list))
		return once.(func() ([]Setting, error))()
	}
	return list()
}

// parseSettings parses SCOPE NUL ORIGIN NUL KEY [LF VALUE] NUL …
func parseSettings(out string) []Setting {
	var list []Setting
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		file, isFile := strings.CutPrefix(fields[i+1], "file:")
		if !isFile {
			file = "" // from the command line, or from an object
		}
		key, value, valued := strings.Cut(fields[i+2], "\n")
		if !valued {
			value = "true"
		}
		list = append(list, Setting{Scope: fields[i], File: file, Key: key, Value: value, NoValue: !valued})
	}
	return list
}

// Config returns the configuration as Config; see [Repo.Settings].
func (r *Repo) Config(ctx context.Context) (Config, error) {
	list, err := r.Settings(ctx)
	var c Config
	for _, s := range list {
		e := configEntry{Key: s.Key, Value: s.Value, NoValue: s.NoValue}
		if s.NoValue {
			e.Value = ""
		}
		c.entries = append(c.entries, e)
	}
	return c, err
}

// parseConfigList parses the output of `git config -z --list`: "key LF value NUL", or "key NUL" for a key without a
// value.
func parseConfigList(out string) Config {
	var c Config
	for item := range strings.SplitSeq(out, "\x00") {
		if item == "" {
			continue
		}
		key, value, ok := strings.Cut(item, "\n")
		c.entries = append(c.entries, configEntry{Key: key, Value: value, NoValue: !ok})
	}
	return c
}

// Add appends an entry that overrides all others. The key must have the case that git prints.
func (c *Config) Add(key, value string) {
	c.entries = append(c.entries, configEntry{Key: key, Value: value})
}

// Entries yields all keys with their values, least important first. The value of a key without a value is "true".
func (c Config) Entries() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, e := range c.entries {
			if e.NoValue {
				e.Value = "true"
			}
			if !yield(e.Key, e.Value) {
				return
			}
		}
	}
}

// Get returns the effective value of a key. As in git, a key without a value gives "true".
func (c Config) Get(key string) (string, bool) {
	e, ok := c.last(key)
	if ok && e.NoValue {
		return "true", true
	}
	return e.Value, ok
}

// OwnConfig returns the configuration of the user and of the system, without any repository.
func OwnConfig(ctx context.Context) (Config, error) { return listConfig(ctx) }

// FileConfig returns the settings of one file, without its included files.
func FileConfig(ctx context.Context, file string) (Config, error) {
	return listConfig(ctx, "--no-includes", "--file", file)
}

// listConfig lists a configuration outside of any repository.
func listConfig(ctx context.Context, from ...string) (Config, error) {
	out, err := GitNowhere(ctx, append([]string{"config", "-z", "--list"}, from...)...)
	if err != nil {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	return parseConfigList(string(out)), nil
}

// GitNowhere runs a git command outside of any repository. The error is a *GitError.
func GitNowhere(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	cmd.Env = append(baseEnv(os.Environ()), "GIT_DIR="+os.DevNull)
	cmd.WaitDelay = waitDelay
	return runGit(cmd, verbOf(args))
}

// Paths returns all values of a multi-valued key, as paths: see Path.
func (c Config) Paths(key string) []string {
	var out []string
	for _, value := range c.All(key) {
		path, _ := ExpandHome(value)
		out = append(out, path)
	}
	return out
}

// Path returns the value of a key as a path. As in git, ~/ at the beginning is replaced by the user's home directory.
func (c Config) Path(key string) (string, bool) {
	name, ok := c.Get(key)
	path, _ := ExpandHome(name)
	return path, ok
}

// Bool returns the value of a key as a boolean, by git's rules: true, yes, on, a number other than 0, or a key without
// a value. If the value is not a boolean, Bool returns def.
func (c Config) Bool(key string, def bool) bool {
	e, ok := c.last(key)
	switch {
	case !ok:
		return def
	case e.NoValue:
		return true
	}
	return parseBool(e.Value, def)
}

// `All` returns all values of a multi-valued key, least important first.
func (c Config) All(key string) []string {
	key = canonicalKey(key)
	var values []string
	for _, e := range c.entries {
		if e.Key == key {
			values = append(values, e.Value)
		}
	}
	return values
}

func (c Config) last(key string) (configEntry, bool) {
	key = canonicalKey(key)
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].Key == key {
			return c.entries[i], true
		}
	}
	return configEntry{}, false
}

// canonicalKey converts the section and the variable name to lower case. It keeps the subsection, which is
// case-sensitive.
func canonicalKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// parseBool parses a boolean of git-config(1). The empty value is false. For a value that is not a boolean, it returns
// def.
func parseBool(value string, def bool) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off", "":
		return false
	}
	digits := strings.TrimRight(strings.ToLower(value), "kmg")
	n, err := strconv.ParseInt(digits, 0, 64)
	if err == nil && len(value)-len(digits) <= 1 && !strings.Contains(value, "_") {
		return n != 0
	}
	return def
}

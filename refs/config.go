package refs

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Config is git's whole configuration as it holds for one work tree, in the order of precedence: the last entry of a
// key wins.
type Config struct {
	entries []configEntry
}

// Config reads the configuration with one `git config --list`, includes and all scopes resolved by git.
func (r *Repo) Config(ctx context.Context) (Config, error) {
	out, err := r.Git(ctx, nil, "config", "-z", "--list")
	if err != nil {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	return parseConfigList(string(out)), nil
}

// parseConfigList reads the output of `git config -z --list`: "key LF value NUL", or "key NUL" for a key alone.
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

// Add appends an entry that takes precedence over the others. The key is in the case that git prints.
func (c *Config) Add(key, value string) {
	c.entries = append(c.entries, configEntry{Key: key, Value: value})
}

// Entries are all keys with their values, least important first; a key without a value has "true".
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

// Get is the value in force of a key; a key without a value gives "true", as it does for git.
func (c Config) Get(key string) (string, bool) {
	e, ok := c.last(key)
	if ok && e.NoValue {
		return "true", true
	}
	return e.Value, ok
}

// Path is a key read as git reads paths: a leading ~/ is the user's home.
func (c Config) Path(key string) (string, bool) {
	name, ok := c.Get(key)
	if len(name) > 1 && name[0] == '~' && (name[1] == '/' || name[1] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, name[2:]), ok
		}
	}
	return name, ok
}

// Bool is a key read as git reads booleans: true, yes, on, a number other than 0, or the key alone. A value that is no
// boolean counts as absent.
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

// All is every value of a multi-valued key, least important first.
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

// canonicalKey lower-cases section and variable name and keeps the subsection, which is case-sensitive.
func canonicalKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// parseBool reads a boolean of git-config(1); the empty value is false, what is no boolean is def.
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

package blame

import (
	"strconv"
	"strings"
)

// settings is git's configuration.
type settings struct {
	items  []configItem
	values map[string][]string // by key, least important first
	err    error
}

// readSettings reads it, while git blames.
func (s *session) readSettings() settings {
	config := s.opts.Config
	if config == nil {
		var err error
		if config, err = ReadConfiguration(s.ctx, s.repo); err != nil {
			return settings{err: err}
		}
	}
	got := settings{items: config.items, values: map[string][]string{}}
	for _, item := range config.items {
		got.values[item.key] = append(got.values[item.key], item.value)
	}
	return got
}

// get is the value in force.
func (c settings) get(key string) (string, bool) {
	values := c.values[key]
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// on reads a boolean as git does (git-config(1)).
func (c settings) on(key string) bool {
	value, _ := c.get(key)
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// converts tells whether any textconv is configured.
func (c settings) converts() bool {
	for _, item := range c.items {
		if isTextconv(item.key) {
			return true
		}
	}
	return false
}

func isTextconv(key string) bool {
	return strings.HasPrefix(key, "diff.") && strings.HasSuffix(key, ".textconv")
}

// hasTextconv tells whether git blames a conversion of the file (gitattributes(5), "Performing text diffs of binary
// files"). Its lines are not those of the file, so nothing recorded of the file's lines speaks of them.
func (s *session) hasTextconv() bool {
	got := s.settings()
	if s.opts.NoTextconv || s.target.file == "" || !got.converts() {
		return false
	}
	out, err := s.ask(nil, "check-attr", "-z", "diff", "--", s.target.file)
	if err != nil {
		return false
	}
	fields := strings.Split(out, "\x00") // path, attribute, value
	if len(fields) < 3 {
		return false
	}
	command, _ := got.get("diff." + fields[2] + ".textconv")
	return command != ""
}

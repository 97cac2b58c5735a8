package blame

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// settings is what git's configuration says of blame. Git is asked for the few keys in question, while it blames.
type settings struct {
	values map[string][]string // by key in lower case, least important first
	err    error
}

const settingsPattern = `^(blame\.|color\.blame\.|diff\..*\.textconv$)`

// readSettings asks git.
func (s *session) readSettings() settings {
	out, err := s.ask(nil, "config", "-z", "--get-regexp", settingsPattern)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // no such key
		return settings{}
	}
	if err != nil {
		return settings{err: fmt.Errorf("read configuration: %w", err)}
	}
	got := settings{values: map[string][]string{}}
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		key, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		got.values[key] = append(got.values[key], value)
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
	for key := range c.values {
		if strings.HasPrefix(key, "diff.") {
			return true
		}
	}
	return false
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

package gitblame

import (
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// configured holds git's configuration, or the error of reading it.
type configured struct {
	refs.Config
	err error
}

// readSettings reads the configuration while git blames.
func (s *Session) readSettings() configured {
	if s.opts.Config != nil {
		return configured{Config: *s.opts.Config}
	}
	config, err := s.repo.Config(s.ctx)
	return configured{config, err}
}

// Config returns git's configuration.
func (s *Session) Config() (refs.Config, error) {
	got := s.settings()
	return got.Config, got.err
}

// Converted reports whether git blames a text conversion of the file (gitattributes(5), "Performing text diffs of
// binary files"). Then the lines are not lines of the file, and recorded owners do not apply.
func (s *Session) Converted() bool { return s.converted() }

// `converts` reports whether the configuration has any textconv.
func converts(config refs.Config) bool {
	for key := range config.Entries() {
		if isTextconv(key) {
			return true
		}
	}
	return false
}

func isTextconv(key string) bool {
	return strings.HasPrefix(key, "diff.") && strings.HasSuffix(key, ".textconv")
}

// hasTextconv asks git whether the file has a text conversion.
func (s *Session) hasTextconv() bool {
	got := s.settings()
	if s.opts.NoTextconv || s.target.file == "" || !converts(got.Config) {
		return false
	}
	out, err := s.Ask(nil, "check-attr", "-z", "diff", "--", s.target.file)
	if err != nil {
		return false
	}
	fields := strings.Split(out, "\x00") // path, attribute, value
	if len(fields) < 3 {
		return false
	}
	command, _ := got.Get("diff." + fields[2] + ".textconv")
	return command != ""
}

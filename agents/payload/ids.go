package payload

import (
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// The greatest lengths of an id, a name and a path.
const (
	maxID   = 128
	maxName = 128
	maxPath = 8192
)

// SessionID reports whether a text can be the id of a session or a subagent. Such ids become names of files: they have
// only letters, digits, dots, underscores and hyphens, and do not begin with a dot.
func SessionID(text string) bool {
	if text == "" || len(text) > maxID || text[0] == '.' {
		return false
	}
	for i := range len(text) {
		if !idByte(text[i]) {
			return false
		}
	}
	return true
}

// CheckedID returns the text if it can be the id of a session, otherwise "".
func CheckedID(text string) string {
	if !SessionID(text) {
		return ""
	}
	return text
}

func idByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '_' || c == '.'
}

// CallID reports whether a text can be the id of a tool call: printable ASCII without spaces. Such ids are only
// compared and stored; some agents join two ids with a bar.
func CallID(text string) bool {
	if text == "" || len(text) > maxID {
		return false
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Name returns the text if it can be the name of a tool or a model: valid, printable and short; otherwise "".
func Name(text string) string {
	if len(text) > maxName || !utf8.ValidString(text) {
		return ""
	}
	for _, r := range text {
		if r < ' ' || r == 0x7F || (r >= 0x80 && r < 0xA0) {
			return ""
		}
	}
	return text
}

// Path returns a cleaned absolute path: the text itself, in the home directory for a leading "~/", or relative to cwd.
// It returns "" if this gives no path, for example a relative path without cwd.
func Path(text, cwd, home string) string {
	if text == "" {
		return ""
	}
	path := text
	if rest, ok := strings.CutPrefix(text, "~/"); ok && filepath.IsAbs(home) {
		path = filepath.Join(home, rest)
	} else if !filepath.IsAbs(text) {
		path = filepath.Join(cwd, text)
	}
	if !filepath.IsAbs(path) || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return ""
	}
	return filepath.Clean(path)
}

// Time parses a time in the form of agents; the zero time for other text.
func Time(text string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, text) // an error gives the zero time
	return at
}

// AbsPath returns the text as a cleaned path if it is an absolute path, otherwise "".
func AbsPath(text string) string {
	return Path(text, "", "")
}

package redact

import (
	"cmp"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// `somebody` replaces the name of a user.
const somebody = "user"

// sharedHome reports whether a directory next to home directories belongs to no single person.
func sharedHome(name string) bool {
	switch strings.ToLower(name) {
	case somebody, "shared", "public", "default", "all", "linuxbrew", ".", "..", "...", "…", "user1", "you", "me",
		"username", "name", "alias":
		return true
	}
	return false
}

// `generic` reports whether a name is a common word that identifies no person. In containers, agents run under such
// user names. A user name of digits only, as in a container (/home/1000), would match numbers elsewhere in the text.
func generic(name string) bool {
	if strings.Trim(name, "0123456789") == "" {
		return true
	}
	switch strings.ToLower(name) {
	case somebody, "users", "root", "admin", "administrator", "ubuntu", "debian", "fedora", "ec2-user", "centos", "alpine",
		"git", "go", "dev",
		"develop", "developer", "test", "tester", "testing", "tests", "node", "runner", "vagrant", "docker", "build",
		"builder", "ci",
		"app", "apps", "www", "web", "www-data", "vscode", "codespace", "gitpod", "jenkins", "home", "me", "guest", "main",
		"claude", "codex", "aider", "amp", "cline", "continue", "copilot", "cursor", "droid", "gemini", "generic", "goose",
		"grok", "kimi", "opencode", "openhands", "qwen", "roo", "windsurf", "zed", "claude-code", "codex-cli", "copilot-cli",
		"copilot-vscode", "firebender", "gemini-cli", "kimi-code", "qwen-code", "roo-code",
		"agent", "nobody", "daemon", "system", "default", "work", "code", "src", "data", "local", "host",
		"localhost", "server",
		"client", "python", "rust", "java", "ruby", "mac", "macbook", "owner", "pi", "sandbox":
		return true
	}
	return false
}

// SystemNames returns the names of the user who runs this process: the account name and the name of the home directory.
func SystemNames() []string {
	names := []string{accountName()}
	if home, err := os.UserHomeDir(); err == nil {
		names = append(names, filepath.Base(home))
	}
	return append(names, os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME"))
}

// telling returns the names that identify a person, the longest first.
func telling(names []string) []string {
	var out []string
	for _, name := range names {
		if i := strings.LastIndexByte(name, '\\'); i >= 0 { // DOMAIN\name
			name = name[i+1:]
		}
		if len(name) >= 3 && !generic(name) && !slices.Contains(out, name) && strings.Trim(name, "./") != "" {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return out
}

// userNames finds the user's names as whole words.
func (r *Redactor) userNames(text string) []span {
	var found []span
	for _, name := range r.names {
		for start, end := range words(text, name) {
			found = append(found, span{start: start, end: end, rule: "user", with: somebody})
		}
	}
	return found
}

// words yields the positions at which a name occurs as a whole word.
func words(text, name string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				return
			}
			start, end := from+i, from+i+len(name)
			before, _ := utf8.DecodeLastRuneInString(text[:start])
			after, _ := utf8.DecodeRuneInString(text[end:])
			if !wordRune(before) && !wordRune(after) && !yield(start, end) {
				return
			}
			from = end
		}
	}
}

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

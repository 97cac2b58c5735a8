package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Config is the configuration that git needs in all tests. Without it, newer versions of git start maintenance in a
// background process. That process would change files while a test reads them, or while the test's files are removed.
const Config = "[maintenance]\n\tauto = false\n[gc]\n\tautoDetach = false\n"

const home = "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n" + Config

// Main runs the tests of a package in a temporary home whose .gitconfig contains Config, so that the user's settings
// have no effect. It returns the exit status. It removes all GIT_* variables except Formats, and sets an author and a
// committer. The parameter `more` has further variables, NAME=VALUE.
func Main(m *testing.M, more ...string) int {
	dir, err := os.MkdirTemp("", "git-trace-test-home-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(home), 0o600); err != nil {
		return failed(err)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_DEFAULT_") || name == "XDG_STATE_HOME" {
			_ = os.Unsetenv(name)
		}
	}
	for _, entry := range append([]string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, ".config"), "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC",
		"LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com",
		"GIT_COMMITTER_NAME=C O Mitter", "GIT_COMMITTER_EMAIL=committer@example.com",
	}, more...) {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return failed(err)
		}
	}
	return m.Run()
}

// Formats returns the variables that choose the format of new repositories: GIT_DEFAULT_HASH and GIT_DEFAULT_REF_FORMAT
// (git(1)). A test that builds an environment for git must include them, so that the suite can run with other formats.
func Formats() []string {
	var out []string
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, "GIT_DEFAULT_") {
			out = append(out, entry)
		}
	}
	return out
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "set up a home for the tests:", err)
	return 2
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Git's hooks in a directory that all repositories share: in one of a stranger that says of itself that
// it is recorded, the shell of the hook starts git-trace alone, and git-trace starts nothing.
func TestSharedHooksStartNothingInAStrangersRepository(t *testing.T) {
	t.Parallel()
	testenv.NeedsTrace(t)
	w := newWatched(t)
	shared := filepath.Join(w.home, "hooks")
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	w.run("git", "config", "--global", "core.hooksPath", shared)
	w.run("git-trace", "init", "--agent", "claude-code")
	w.dir = filepath.Join(testenv.TempDir(t), "stranger")
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.run("git", "init", "-q")
	w.write("a.txt", "of a stranger\n")
	w.run("git", "add", "a.txt")
	if err := os.Mkdir(w.path(".git/traces"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(".git/traces/recording", "x\n")
	pwned := filepath.Join(w.home, "pwned")
	w.run("git", "config", "filter.x.clean", "echo clean >>"+pwned+"; cat")
	w.run("git", "config", "core.fsmonitor", "echo monitor >>"+pwned+"; false")
	w.run("git", "commit", "-q", "-m", "one") // git itself asks the monitor
	for _, hook := range []string{"post-commit", "post-checkout", "post-merge", "post-rewrite", "post-applypatch"} {
		if err := os.RemoveAll(pwned); err != nil {
			t.Fatal(err)
		}
		seen := filepath.Join(w.home, "seen-"+hook)
		cmd := w.command("strace", "-f", "-qq", "-e", "trace=execve", "-e", "signal=none", "-o", seen, filepath.Join(shared, hook), "a", "b", "1")
		cmd.Env = append(cmd.Env, "GIT_DIR=.git")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", hook, err, out)
		}
		raw, err := os.ReadFile(seen)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			m := executed.FindStringSubmatch(line)
			if m == nil || strings.Contains(line, " ENOENT ") {
				continue
			}
			if base := filepath.Base(m[1]); base != hook && base != "git-trace-hook" {
				t.Errorf("%s started %s", hook, m[1])
			}
		}
		if _, err := os.Stat(pwned); err == nil {
			t.Errorf("%s ran a program of the stranger", hook)
		}
	}
}

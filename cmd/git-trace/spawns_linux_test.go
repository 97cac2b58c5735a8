package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A hook of a commit starts git once, whoever wrote what is committed: each process more is felt at every commit.
func TestACommitHookStartsGitOnce(t *testing.T) {
	t.Parallel()
	testenv.NeedsTrace(t)
	r := newRecorded(t)
	r.run("git", "config", "core.hooksPath", "/dev/null")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for i, write := range [][]string{
		{"sh", "-c", "echo the first look after the configuration has changed >>a.go"},
		{"sh", "-c", "echo typed by hand, of some length >>a.go"},
		{"agent", "alpha", "bash", "echo written by an agent, of some length >>a.go"},
		{"agent", "alpha", "bash", "sed -i s/one/un/ a.go"},
		{"sh", "-c", "sed -i s/un/uno/ a.go; echo more >>a.go"},
	} {
		r.run(write...)
		r.run("git", "add", "-A")
		r.run("git", "commit", "-q", "-m", "more")
		r.run("git", "update-ref", "-d", "refs/traces/records") // the process that stores records is none of the hook's
		calls := filepath.Join(testenv.TempDir(t), "calls")
		r.run("strace", "-f", "-qq", "-e", "trace=execve", "-o", calls, "git-trace", "git-hook", "post-commit")
		raw, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(raw), `execve("`+git+`"`); n != 1 && i > 0 {
			t.Errorf("after %q git was started %d times:\n%s", write, n, raw)
		}
	}
}

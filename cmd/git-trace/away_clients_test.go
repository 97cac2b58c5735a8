package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// A machine that goes right after an agent's commit, which nobody pushed, or after a turn without one: whoever commits
// the files elsewhere pulls the owners of all lines.
func TestAMachineThatGoesTakesNoOwnersAlong(t *testing.T) {
	t.Parallel()
	for _, c := range shellTools() {
		for name, commits := range map[string]bool{"after a commit": true, "after a turn": false} {
			t.Run(c.client+" "+name, func(t *testing.T) {
				t.Parallel()
				if c.client != "claude" && os.Getenv("GITTRACE_LONG") == "" {
					t.Skip("GITTRACE_LONG=1 runs it")
				}
				c.goesAway(t, commits)
			})
		}
	}
}

func (c shellTool) goesAway(t *testing.T, commits bool) {
	r := newTraced(t, c.client, c.options...)
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(r.Env(filepath.Dir(r.binary), realPrograms), "GIT_AUTHOR_NAME=P", "GIT_AUTHOR_EMAIL=p@example.com",
			"GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
		return string(out)
	}
	remote, other := filepath.Join(r.Tmp, "remote.git"), filepath.Join(r.Tmp, "other")
	run(r.Dir, "git", "init", "-q", "--bare", "-b", "main", remote)
	run(r.Dir, "git", "remote", "add", "origin", remote)
	run(r.Dir, "git", "push", "-q", "origin", "HEAD:main")
	script, err := filepath.Abs("../../packaging/elsewhere/setup.sh")
	if err != nil {
		t.Fatal(err)
	}
	run(r.Dir, "sh", append([]string{script, "log", "origin"}, c.options...)...)
	done := filepath.Join(r.Tmp, "done")
	call := func(command string) driver.Turn {
		return driver.Turn{Tools: []driver.Tool{{Name: c.tool, Input: c.argument(command)}}}
	}
	turns := []driver.Turn{call("echo the agent wrote this line of the file > new.txt; echo and it wrote the second line >> new.txt")}
	opts := driver.Options{Env: []string{"GITTRACE_ELSEWHERE=1"}, CheckTrust: c.client == "codex"}
	if commits {
		commit, end := "git commit -q -m work", "touch "+done+"; sleep 20"
		turns = append(turns, call("git add -A")) // Droid takes no commit of what the same call stages
		if c.client == "gemini" {                 // its shell keeps git from calling hooks
			turns = append(turns, call(commit), call(end))
		} else {
			turns = append(turns, call(commit+" && "+end))
		}
		opts.SignalOn, opts.Signal, opts.AllowFailure = done, syscall.SIGKILL, true
	}
	r.played(driver.Main(append(turns, driver.Turn{Text: "done"})...), opts)
	if _, err := os.Stat(done); commits && err != nil {
		t.Fatal("the agent never committed")
	}
	content := r.Read("new.txt")
	if err := os.Rename(r.Dir, r.Dir+".gone"); err != nil {
		t.Fatal(err)
	}
	run(r.Tmp, "git", "clone", "-q", remote, other)
	if err := os.WriteFile(filepath.Join(other, "new.txt"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	run(other, "git", "add", ".")
	run(other, "git", "commit", "-q", "-m", "by the platform")
	run(other, "git-trace", "pull", "--log")
	if out := run(other, "git-trace", "blame", "new.txt"); strings.Count(out, c.options[1]) != 2 {
		t.Errorf("another clone says\n%s", out)
	}
}

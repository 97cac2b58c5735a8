package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Whoever has the refs of a repository and nothing else is told the same of its lines and conversations: where
// .git/traces is gone, in a mirror, in a bundle, and by way of plain `git push` and `git fetch` of the refs of the log
// and the records, which are fast-forwards. The conversation is one of the real client.
func TestTheRefsAloneTellTheSame(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	base := testenv.TempDir(t)
	place := func(name string, args ...string) string {
		dir := filepath.Join(base, name)
		r.Git(append(args, dir)...)
		return dir
	}
	r.run("basic", driver.Options{})
	r.commitAll()
	r.sealed()
	branch := r.Git("symbolic-ref", "HEAD")
	bare := []string{"init", "-q", "--bare", "-b", filepath.Base(branch)}
	backup, fetching := place("backup.git", bare...), place("fetching.git", bare...)
	const log, said = "refs/traces/events", "refs/traces/records"
	carry := func() {
		r.Git("push", "-q", backup, branch, log, said)
		r.Git("--git-dir="+fetching, "fetch", "-q", backup, branch+":"+branch, log+":"+log, said+":"+said)
	}
	carry()
	r.run("basic", driver.Options{Prompt: "[[script:second]] go on", Args: []string{"--continue"}})
	r.commitAll()
	r.sealed()
	carry()
	mirror, unbundled := place("mirror.git", "clone", "-q", "--mirror", r.Dir), place("unbundled.git", bare...)
	bundle := filepath.Join(base, "all.bundle")
	r.Git("bundle", "create", "-q", bundle, "--all")
	r.Git("--git-dir="+unbundled, "fetch", "-q", bundle, "refs/*:refs/*")

	want := r.said(r.Dir)
	if !strings.Contains(want, `"tool_call":"toolu_second_t1_0`) {
		t.Fatalf("the second turn owns no line:\n%s", want)
	}
	same := func(where, dir string) {
		t.Helper()
		got, lines := strings.Split(r.said(dir), "\n"), strings.Split(want, "\n")
		for i := range max(len(got), len(lines)) {
			if i >= len(got) || i >= len(lines) || got[i] != lines[i] {
				t.Errorf("%s, line %d:\n%.2000s\nwant:\n%.2000s", where, i+1, strings.Join(got[min(i, len(got)):], "\n"), strings.Join(lines[min(i, len(lines)):], "\n"))
				return
			}
		}
	}
	same("mirror", mirror)
	same("bundle", unbundled)
	same("plain push", backup)
	same("plain fetch", fetching)
	if err := os.RemoveAll(filepath.Join(r.Dir, ".git", "traces")); err != nil {
		t.Fatal(err)
	}
	same("without .git/traces", r.Dir)

	r.trace("init", "--agent", "claude-code")
	r.run("human", driver.Options{})
	r.commitAll()
	r.sealed()
	carry()
	if out := r.trace("verify"); !strings.HasPrefix(out, "consistent") || strings.Contains(out, "lost") {
		t.Errorf("once it goes on:\n%s", out)
	}
	if want = r.said(r.Dir); strings.Count(want, "claude-code") == 0 {
		t.Errorf("once it goes on, nothing is the agent's:\n%s", want)
	}
	same("plain push, once it goes on", backup)
	same("plain fetch, once it goes on", fetching)
}

// sealed stores what waits, and waits until the ref holds as many events as the file.
func (r *traced) sealed() {
	r.t.Helper()
	alone := func() {
		if err := untilAlone(r.Dir); err != nil {
			r.t.Fatal(err)
		}
	}
	alone()
	r.trace("record", "--quiet")
	defer alone()
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(r.Dir, ".git", "traces", "events.log"))
		if err != nil {
			r.t.Fatal(err)
		}
		var head struct{ Events int }
		if err := json.Unmarshal([]byte(r.Git("show", "refs/traces/events:digest.json")), &head); err != nil {
			r.t.Fatal(err)
		}
		have := bytes.Count(text, []byte("\n{"))
		if head.Events == have {
			return
		}
		if time.Now().After(until) {
			r.t.Fatalf("the ref holds %d events of %d", head.Events, have)
		}
	}
}

// promptWords is what a prompt says, which the log does not hold.
var promptWords = regexp.MustCompile(`"(text|title)":"([^"\\]|\\.)*"`)

// said is what is told of lines, conversations, commits and the log in a repository, line by line.
func (r *traced) said(dir string) string {
	r.t.Helper()
	var out strings.Builder
	for _, args := range []string{"blame --json HEAD -- a.txt", "blame --json HEAD -- b.py", "log --json", "graph --json", "verify"} {
		cmd := exec.CommandContext(r.t.Context(), r.binary, strings.Fields(args)...)
		cmd.Dir, cmd.Env = dir, r.Env(filepath.Dir(r.binary))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		if err != nil {
			r.t.Fatalf("git-trace %s in %s: %v: %s", args, filepath.Base(dir), err, stderr.String())
		}
		out.Write(promptWords.ReplaceAll(text, []byte(`"$1":""`)))
	}
	return out.String()
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// S28: a push of new commits starts five git processes: for the settings, for what the remote has, for the commits that a
// server may have made, for the sizes of what came from there, and to send. The first one asks besides whether others are
// shown what was sent. Where a recorded commit is not published, git looks for a way to it, too.
func TestAPushStartsFiveGitProcesses(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	r := newRecorded(t)
	r.run("git", "init", "-q", "--bare", "../remote.git")
	r.run("git", "remote", "add", "origin", "../remote.git")
	push := func(what string, most int, args ...string) {
		t.Helper()
		file := filepath.Join(testenv.TempDir(t), "trace2")
		cmd := exec.Command("git-trace", append([]string{"push"}, args...)...)
		cmd.Dir = r.dir
		cmd.Env = slices.DeleteFunc(append(r.environ(), "GIT_TRACE2_EVENT="+file), func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return strings.HasSuffix(name, "_DATE") // with a date git makes the commit
		})
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("sent to origin")) {
			t.Fatalf("%s: %v: %s", what, err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var started []string
		for line := range strings.Lines(string(text)) { // what git itself starts has its parent before a slash
			_, sid, _ := strings.Cut(line, `"sid":"`)
			sid, _, _ = strings.Cut(sid, `"`)
			if _, argv, found := strings.Cut(line, `"argv":`); found && strings.Contains(line, `"event":"start"`) && !strings.Contains(sid, "/") {
				started = append(started, strings.TrimSpace(argv))
			}
		}
		if len(started) > most {
			t.Errorf("%s starts %d:\n%s", what, len(started), strings.Join(started, "\n"))
		}
	}
	more := func(branch string) {
		t.Helper()
		r.run("sh", "-c", "for i in 1 2 3; do echo more >>a.go; git commit -qam more; done; git push -q origin HEAD:refs/heads/"+branch)
	}
	more("main")
	// The first one writes two settings.
	push("the first push", 9, "--to", "commits", "origin") // a commit was amended, and the remote does not have the first form
	more("main")
	push("a push beside a commit that is not published", 6, "origin")
	r.run("sh", "-c", "for c in $(git reflog --format=%h); do git push -q origin $c:refs/heads/old-$c; done")
	more("main")
	push("a push", 5, "origin")
}

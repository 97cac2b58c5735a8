package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// stored is what a repository keeps, by what may grow: numbers of events and of objects, and bytes.
type stored struct{ events, objects, snapshots, vectors int64 }

func (r *recordedRepo) stored() stored {
	r.t.Helper()
	events := int64(strings.Count(r.run("git-trace", "events", "--json"), "\n"))
	snapshots, objects := r.below("objects")
	vectors, _ := r.below("contents/vectors")
	return stored{events, objects, snapshots, vectors}
}

// below counts bytes and files below a directory of the traces. What is taken away meanwhile does not count.
func (r *recordedRepo) below(dir string) (size, files int64) {
	r.t.Helper()
	err := filepath.WalkDir(filepath.Join(r.dir, ".git", "traces", dir), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				size, files = size+info.Size(), files+1
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return size, files
}

// I17: putting work away and taking it out again, or going to and fro between branches, keeps nothing anew.
func TestStorageDoesNotGrowWithCycles(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	r := newRecorded(t)
	r.run("git", "branch", "other")
	r.run("git", "commit", "-q", "--allow-empty", "-m", "elsewhere")
	r.run("agent", "bravo", "stop")
	cycle := map[string][]string{
		"stash":    {"git stash -q -u", "git stash pop -q"},
		"checkout": {"git checkout -q other", "git checkout -q main"},
		"restore":  {"git stash -q", "git stash apply -q", "git stash drop -q"},
	}
	const cycles = 50
	const slack = 4 << 10 // of the state of the work tree, whose numbers grow by a digit
	for _, name := range []string{"stash", "checkout", "restore"} {
		commands := strings.Join(cycle[name], " && ")
		r.run("sh", "-c", commands)
		before := r.stored()
		bytesBefore, _ := r.below("")
		r.run("sh", "-c", fmt.Sprintf("n=0; while [ $n -lt %d ]; do { %s; } || exit 1; n=$((n+1)); done", cycles, commands))
		if after := r.stored(); after != before {
			t.Errorf("%s: %d cycles made %+v of %+v", name, cycles, after, before)
		}
		if bytesAfter, _ := r.below(""); bytesAfter > bytesBefore+slack {
			t.Errorf("%s: %d cycles made the directory of the traces %d bytes larger, want at most %d", name, cycles, bytesAfter-bytesBefore, slack)
		}
	}
	// With an agent at work in between, there is what the agent did, and nothing else.
	look := func() {
		r.run("git", "stash", "-q", "-u")
		r.run("agent", "bravo", "bash", "true")
		r.run("git", "stash", "pop", "-q")
		r.run("agent", "bravo", "bash", "true")
	}
	look()
	before := r.stored()
	const calls = 5
	for range calls {
		look()
	}
	after := r.stored()
	if grown := after.events - before.events; grown != 2*2*calls {
		t.Errorf("%d events for %d calls of a tool, want two for each", grown, 2*calls)
	}
	if after.snapshots != before.snapshots || after.vectors != before.vectors {
		t.Errorf("%d cycles with calls in between made %+v of %+v", calls, after, before)
	}
}

// F22: a rebase of many commits is recorded in little memory, and every line finds its owner.
func TestRebaseOfManyCommits(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	commits, files := 20, 6
	if os.Getenv("GITTRACE_LONG") != "" {
		commits, files = 200, 20
	}
	r := newRecorded(t)
	r.run("agent", "bravo", "stop")
	r.run("git", "switch", "-q", "-c", "topic")
	r.run("sh", "-c", fmt.Sprintf("n=0; while [ $n -lt %d ]; do seq 1 40 | sed \"s/^/$n line /\" >f$n; n=$((n+1)); done; git add .; git commit -q -m base", files))
	r.run("git", "branch", "-q", "-f", "main")
	r.run("git", "switch", "-q", "-C", "topic")
	for n := range commits {
		r.run("agent", "many", "bash", fmt.Sprintf("for f in f[0-9]*; do echo commit %d of $f >>$f; done; git add f[0-9]*; git commit -q -m %d", n, n))
	}
	r.run("git", "switch", "-q", "main")
	r.run("sh", "-c", "for f in f[0-9]*; do sed -i 1iabove $f; done; git commit -q -a -m above")
	rebase := exec.Command("git", "rebase", "-q", "main", "topic")
	rebase.Dir, rebase.Env = r.dir, append(os.Environ(), "HOME="+r.home, "XDG_STATE_HOME=", "GIT_CONFIG_NOSYSTEM=1")
	var complaint bytes.Buffer
	rebase.Stderr = &complaint
	if err := rebase.Run(); err != nil {
		t.Fatalf("rebase: %v: %s", err, complaint.String())
	}
	out := r.run("owners", "f3")
	if got := strings.Count(out, "many | commit "); got != commits {
		t.Errorf("%d lines of f3 are the agent's, want %d:\n%s", got, commits, out)
	}
	if got := strings.Count(out, "human | "); got != 41 {
		t.Errorf("%d lines of f3 are people's, want 41:\n%s", got, out)
	}
	if left, _ := os.ReadDir(filepath.Join(r.dir, ".git", "traces", "later")); len(left) > 0 {
		t.Errorf("commits are left to be anchored: %v", left)
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// partly runs backfill where the history is not whole, and gives what it says and what it complains of.
func (w *pastWorld) partly(dir string) (said, complaint string, status int) {
	w.t.Helper()
	cmd := w.command("git-trace", "backfill", "--transcripts", w.folder)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// twoCommits makes a history of two commits of a session, and moves the repository away: a clone takes its place.
func (w *pastWorld) twoCommits() (away string) {
	s := w.at(w.dir)
	s.write("total.go", text(shopCode), nil, true)
	w.commit("total")
	s.write("total.go", text(strings.ReplaceAll(shopCode, "sum", "amount")), text(shopCode), true)
	s.write("script.py", text(scriptCode), nil, true)
	s.end()
	w.commit("script")
	away = w.dir + "-whole"
	w.must(os.Rename(w.dir, away))
	return away
}

func TestBackfillOfAPartialCloneFetchesNothing(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	away := w.twoCommits()
	w.must(os.WriteFile(filepath.Join(away, ".git", "config"), []byte("[uploadpack]\n\tallowFilter = true\n[core]\n\trepositoryformatversion = 0\n"), 0o644))
	cmd := w.command("git", "clone", "-q", "--filter=blob:none", "file://"+away, w.dir)
	cmd.Dir = filepath.Dir(w.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	missing := func() int { return strings.Count(w.git("rev-list", "--objects", "--missing=print", "HEAD"), "\n?") }
	before := missing()
	if before == 0 {
		t.Fatal("the clone is whole: the test shows nothing")
	}
	said, complaint, status := w.partly(w.dir)
	if missing() != before {
		t.Errorf("%d objects are missing, %d were", missing(), before)
	}
	if status != exit.Unchecked || !strings.Contains(complaint, "partial clone") || strings.Count(complaint, "warning") > 11 {
		t.Errorf("status %d: %s", status, complaint)
	}
	if !strings.Contains(said, "from 1 conversation written") || !strings.Contains(w.git("trace", "blame", "script.py"), "claude") {
		t.Errorf("it found %s", said)
	}
}

func TestBackfillGoesOnBehindACommitThatIsMissing(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	s := w.at(w.dir)
	s.write("total.go", text(shopCode), nil, true)
	w.commit("total")
	w.put("note.txt", []string{"a note by hand"})
	w.commit("gone")
	s.write("script.py", text(scriptCode), nil, true)
	w.commit("script")
	s.write("other.py", text(strings.ReplaceAll(scriptCode, "main", "other")), nil, true)
	s.end()
	w.commit("other")
	gone := strings.TrimSpace(w.git("rev-parse", "HEAD~2"))
	w.must(os.Remove(filepath.Join(w.dir, ".git", "objects", gone[:2], gone[2:])))
	said, complaint, status := w.partly(w.dir)
	if status != exit.Unchecked || !strings.Contains(complaint, gone) {
		t.Errorf("status %d: %s", status, complaint)
	}
	if !strings.Contains(said, " 1 commit from 1 conversation written") {
		t.Errorf("it found %s", said)
	}
}

// A session that was held in another checkout is told by the remote that its agent noted, or by what it wrote, in a
// shallow clone too.
func TestBackfillInACloneElsewhere(t *testing.T) {
	t.Parallel()
	for _, depth := range []string{"1", "2", "100"} {
		w := newPastWorld(t, 1)
		away := w.twoCommits()
		here := filepath.Join(testenv.TempDir(t), "work", "market")
		w.must(os.MkdirAll(filepath.Dir(here), 0o755))
		cmd := w.command("git", "clone", "-q", "--depth", depth, "file://"+away, here)
		cmd.Dir = filepath.Dir(here)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		said, complaint, status := w.partly(here)
		if status != 0 || !strings.Contains(said, "from 1 conversation written") {
			t.Errorf("depth %s: status %d: %s%s", depth, status, said, complaint)
		}
	}
}

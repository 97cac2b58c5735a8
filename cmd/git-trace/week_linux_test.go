package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// insideWeek is set where the test has a mount name space of its own, in which a disk can be full.
const insideWeek = "GITTRACE_WEEK_INSIDE"

// Five working days of two people and four agents, real clients, with two clones and a bare remote: branches, rebases,
// a review, a conflict, a cherry-pick, a crash, a machine that sleeps in the middle of a call, a clock that is set back, a
// full disk. Each evening every line of both clones must be said to be of who typed it.
func TestAWeekOfUse(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("GITTRACE_LONG=1 runs it: it takes minutes of real clients")
	}
	if os.Getenv(insideWeek) == "" && exec.Command("unshare", "--mount", "true").Run() == nil {
		cmd := exec.CommandContext(t.Context(), "unshare", "--mount", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=20m")
		cmd.Env = append(os.Environ(), insideWeek+"=1")
		out, err := cmd.CombinedOutput()
		switch {
		case err == nil && strings.Contains(string(out), "--- PASS"):
			t.Logf("%s", out)
		case err == nil && strings.Contains(string(out), "--- SKIP"):
			t.Skipf("%s", out)
		default:
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	l := &ledgerOfWeek{t: t, loose: map[string]bool{}}
	remote := filepath.Join(testenv.TempDir(t), "remote.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", remote).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w := &week{ledgerOfWeek: l, ann: newDesk(t, l, "ann", remote, "claude", "gemini"), ben: newDesk(t, l, "ben", remote, "codex", "pi")}
	w.began = time.Now()
	w.monday()
	w.tuesday()
	w.wednesday()
	w.thursday()
	w.friday()
	for _, d := range []*desk{w.ann, w.ben} {
		t.Logf("%s: %s; %d kB on disk", d.name, readMeter(t, d.meter()), d.disk()>>10)
	}
	t.Logf("%d lines were written in five days, which took %.0f s", l.lines, time.Since(w.began).Seconds())
}

type week struct {
	*ledgerOfWeek
	ann, ben *desk
	began    time.Time
	picked   string // a commit of Ann's that Ben takes
}

// evening shares what is published, and holds every line of both clones to its writer.
func (w *week) evening(day string) {
	w.t.Helper()
	for range 2 { // so that each has what the other one shared
		for _, d := range []*desk{w.ann, w.ben} {
			d.Git("push", "-q", "origin", "+HEAD")
			d.trace("push", "origin", "--to", "commits")
			d.Git("fetch", "-q", "origin")
			d.trace("pull", "origin")
		}
	}
	for _, d := range []*desk{w.ann, w.ben} {
		s := d.evening(day)
		w.t.Logf("%s evening, %s: %d lines as they were typed, %d of nobody, %d wrong", day, d.name, s.right, s.nobody, s.wrong)
	}
}

// monday: both begin, each on a branch.
func (w *week) monday() {
	w.ann.start()
	w.ben.start()
	w.ann.Git("push", "-q", "-u", "origin", "main")
	w.ben.Git("fetch", "-q", "origin")
	w.ben.Git("branch", "-q", "-u", "origin/main")
	w.ann.Git("checkout", "-q", "-b", "feature")
	w.ann.types("server.txt")
	w.ann.asks(0, "server.txt", "server.txt", "client.txt")
	w.ann.commits("begin the server")
	w.ben.types("docs.txt")
	w.ben.asks(0, "", "docs.txt", "guide.txt")
	w.ben.types("guide.txt")
	w.ben.commits("begin the documents")
	w.evening("monday")
}

// tuesday: Ann rebases onto what Ben has pushed, and reviews a branch of his with her agent.
func (w *week) tuesday() {
	w.ben.Git("checkout", "-q", "-b", "review-me")
	w.ben.asks(1, "guide.txt", "guide.txt")
	w.ben.commits("something to review")
	w.ben.Git("push", "-q", "origin", "review-me")
	w.ann.asks(0, "", "server.txt")
	w.ann.commits("go on")
	w.ann.Git("fetch", "-q", "origin")
	w.ann.Git("rebase", "-q", "origin/main")
	w.ann.Git("checkout", "-q", "-b", "review-me", "origin/review-me")
	w.ann.types("guide.txt")
	w.ann.asks(1, "", "guide.txt")
	w.ann.commits("from the review")
	w.ann.Git("push", "-q", "origin", "review-me")
	w.ann.Git("checkout", "-q", "feature")
	w.ben.Git("pull", "-q", "--ff-only", "origin", "review-me")
	w.ben.Git("checkout", "-q", "main")
	w.ben.Git("merge", "-q", "--no-ff", "-m", "merge the review", "review-me")
	w.evening("tuesday")
}

// wednesday: an agent of Ann's is killed in a call, and she types on; something waits in a stash. Ben settles a conflict.
func (w *week) wednesday() {
	w.ann.dies(0, "crash.txt")
	w.ann.loose[w.ann.types("crash.txt")] = true // what the call left running may have written it
	w.ann.loose[w.ann.types("server.txt")] = true
	w.ann.commits("after the crash")
	w.ann.types("server.txt")
	w.ann.asks(0, "", "stashed.txt")
	w.ann.Git("stash", "push", "-q", "-u")
	w.ann.asks(1, "", "tool.txt")
	w.ann.types("tool.txt")
	w.ann.commits("a tool of its own")
	w.picked = w.ann.Git("rev-parse", "HEAD")
	w.ann.Git("stash", "pop", "-q")
	w.ann.commits("what had waited")
	w.ben.asks(0, "docs.txt", "docs.txt")
	w.ben.commits("more documents")
	w.ben.Git("commit", "-q", "--amend", "-m", "more documents, amended")
	w.ben.conflicts("docs.txt")
	w.evening("wednesday")
}

// thursday: Ann's machine sleeps in the middle of a call, and its clock is set back. Ben takes a commit of hers; his disk
// is full, and then it is not.
func (w *week) thursday() {
	w.ben.Git("cherry-pick", w.picked)
	w.ann.sleeps(1, "slept.txt", time.Duration(testenv.Pick(2, 2, 20))*time.Second)
	w.ann.back = 2 * time.Hour
	w.ann.types("slept.txt")
	w.ann.commits("after the sleep")
	w.ann.back = 0
	if os.Getenv(insideWeek) != "" {
		w.ben.moveTo(filepath.Join(testenv.TempDir(w.t), "disk"), "24m")
		w.ben.start() // at another place it is another repository
		w.ben.types("docs.txt")
		w.ben.commits("at the new place")
		free := w.ben.full()
		turn, line := w.ben.call(w.ben.agents[0], "", "docs.txt")
		w.ben.plays(w.ben.agents[0], driver.Options{AllowFailure: true}, turn, driver.Turn{})
		w.ben.loose[line] = true
		free()
	} else {
		w.t.Log("no disk can be full here: there is no mount name space")
	}
	w.ben.asks(1, "", "guide.txt")
	w.ben.commits("with room again")
	w.evening("thursday")
}

// friday: Ann's branch is rebased, squashed and merged, and both have all of it in the end.
func (w *week) friday() {
	w.ann.trace("doctor", "--fix")
	w.ann.asks(0, "server.txt", "server.txt")
	w.ann.commits("a look by doctor")
	w.ann.Git("fetch", "-q", "origin")
	w.ann.Git("rebase", "-q", "origin/main")
	w.ann.Git("checkout", "-q", "main")
	w.ann.Git("merge", "-q", "--ff-only", "origin/main")
	w.ann.Git("merge", "-q", "--squash", "feature")
	w.ann.commits("the feature")
	w.ann.Git("push", "-q", "origin", "main")
	w.ben.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
	w.ben.asks(0, "server.txt", "docs.txt")
	w.ben.commits("last thing")
	w.ann.trace("gc")
	w.ben.Git("push", "-q", "origin", "main")
	w.ann.Git("pull", "-q", "--ff-only", "origin", "main")
	w.evening("friday")
}

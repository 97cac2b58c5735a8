package sharing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// S5: where nothing is new, nothing is made and nothing sent.
func TestASecondPushDoesNothing(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 || sent[0].State != "pushed" {
		t.Fatalf("%+v", sent)
	}
	count := func(dir string) string { return gitIn(t, dir, "count-objects", "-v") }
	here, there := count(w.Repo.WorkTree), count(remote)
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
		t.Errorf("%+v", sent)
	}
	if count(w.Repo.WorkTree) != here || count(remote) != there {
		t.Error("the second push made objects")
	}
	w.Edit("one", "one.txt", "first\nsecond\nthird\n")
	w.Commit("not published yet")
	w.Anchor()
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
		t.Errorf("of a commit that is not published: %+v", sent)
	}
	w.Git("push", "-q", "origin", "main")
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 {
		t.Errorf("of one that is: %+v", sent)
	}
}

func TestTheWholeLogLeavesAtItsLevel(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	if sent := push(t, w, sharing.LevelLog); len(sent) != 2 {
		t.Fatalf("%+v", sent)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	if got := pull(t, fresh, sharing.What{}); len(got.Writers) != 1 {
		t.Errorf("without asking for logs: %+v", got)
	}
	got := pull(t, fresh, sharing.What{Log: true})
	if len(got.Writers) != 2 || got.Writers[1].Events != int64(len(w.Log())) || got.LeftOut() != 0 {
		t.Errorf("with logs: %+v", got)
	}
	ix, err := index.Open(fresh.Repo)
	w.Check(err)
	defer ix.Close()
	if ix.Logs() != 2 { // the own one, which is empty, and the log; the digest is not read beside it
		t.Errorf("%d logs are read", ix.Logs())
	}
	// The log grows: its next seal takes the place of the first.
	w.Edit("S1", "more.txt", "more\n")
	w.Commit("more")
	w.Git("push", "-q", "origin", "main")
	if sent := push(t, w, sharing.LevelLog); !strings.HasSuffix(sent[0].Ref, "/events") {
		t.Fatalf("%+v", sent)
	}
	got = pull(t, fresh, sharing.What{Log: true})
	if len(got.Writers) != 2 || got.Writers[1].Events != int64(len(w.Log())) || got.LeftOut() != 0 {
		t.Errorf("with the log that grew: %+v", got)
	}
	if sent := push(t, w, sharing.LevelLog); len(sent) != 0 {
		t.Errorf("nothing new: %+v", sent)
	}
}

// S6: nothing leaves for a place that the person did not choose.
func TestNothingLeavesForAnotherPlace(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	other := bare(t)
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	w.Check(sharing.Settle(t.Context(), w.Repo, "origin", sharing.LevelCommits, p.URL))
	p.Close()
	for _, args := range [][]string{{"remote", "set-url", "origin", other}, {"remote", "set-url", "--push", "origin", other}} {
		before := gitIn(t, w.Repo.WorkTree, "config", "--list", "--local")
		w.Git(args...)
		if _, err := plan(t, w, sharing.LevelCommits); !errors.Is(err, sharing.ErrMoved) {
			t.Errorf("%v: %v", args, err)
		}
		w.Git("config", "remote.origin.url", p.URL)
		if args[2] == "--push" && before == gitIn(t, w.Repo.WorkTree, "config", "--list", "--local") {
			t.Error("nothing was changed")
		}
	}
	if refs := gitIn(t, other, "for-each-ref"); refs != "" {
		t.Errorf("%s", refs)
	}
}

// The setting that lets something leave counts only where the person alone writes.
func TestACommittedFileSettlesNothing(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	w.Write("settings", "[remote \"origin\"]\n\ttraceShare = log\n[trace]\n\tremote = origin\n")
	for _, config := range [][]string{
		{"include.path", "../settings"},
		{"extensions.worktreeConfig", "true"},
	} {
		w.Git("config", config[0], config[1])
	}
	w.Git("config", "--worktree", "remote.origin.traceShare", "log")
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	if _, err := s.Destination(""); !errors.Is(err, sharing.ErrNoRemote) {
		t.Errorf("it is %v", err)
	}
	if r, err := s.Destination("origin"); err != nil || r.Share != sharing.LevelNone {
		t.Errorf("%+v, %v", r, err)
	}
	w.Git("config", "--local", "remote.origin.traceShare", "commits")
	s, err = sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	if r, err := s.Destination(""); err != nil || r.Share != sharing.LevelCommits {
		t.Errorf("%+v, %v", r, err)
	}
}

// §7: a copy of a clone must not go on where the other one has gone on.
func TestACopiedCloneDoesNotPublish(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	push(t, w, sharing.LevelCommits)
	dir := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-r", w.Repo.WorkTree, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	grow := func(w *recording.World, text string) {
		w.Edit("more", "one.txt", text)
		w.Commit(text)
		w.Anchor()
		w.Git("push", "-q", "-f", "origin", "main")
	}
	grow(w, "first\nof the first clone\n")
	push(t, w, sharing.LevelCommits)
	repo, err := refs.Discover(dir)
	w.Check(err)
	copied := recording.Open(t, dir, w.Now(), "status", "-s")
	copied.Repo = repo
	if _, err := plan(t, copied, sharing.LevelCommits); !errors.Is(err, sharing.ErrBehind) {
		t.Errorf("a copy that is behind: %v", err)
	}
	for range 9 {
		copied.Edit("copy", "one.txt", fmt.Sprint("first\nof the copy ", rand.N(1000), "\n"))
	}
	copied.Commit("of the copy")
	copied.Anchor()
	if _, err := plan(t, copied, sharing.LevelCommits); !errors.Is(err, sharing.ErrDiverged) {
		t.Errorf("a copy that has gone on: %v", err)
	}
}

// §7: a push that was killed after it had sent everything is finished by the next one.
func TestAPushThatWasKilledIsFinished(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	tip := gitIn(t, remote, "for-each-ref", "--format=%(objectname)", "refs/traces/")
	ref := events.FetchedRef("origin", testenv.WriterOf(t, w.Repo.WorkTree), "digest")
	for name, objects := range map[string]bool{"its objects are here": true, "they are not": false} {
		w.Git("update-ref", "-d", ref)
		if !objects {
			w.Git("gc", "-q", "--prune=now")
		}
		if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
			t.Errorf("%s: %+v", name, sent)
		}
		if got := gitIn(t, w.Repo.WorkTree, "rev-parse", ref); got != tip {
			t.Errorf("%s: %s is noted, %s is there", name, got, tip)
		}
	}
	gitIn(t, remote, "update-ref", "-d", "refs/traces/writers/"+testenv.WriterOf(t, w.Repo.WorkTree)+"/digest")
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 {
		t.Errorf("the remote lost it: %+v", sent)
	}
}

// S1: clones that push at once do not meet.
func TestClonesPushAtOnce(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	clones, pushes := testenv.Pick(2, 4, 8), testenv.Pick(2, 3, 25)
	var worlds []*recording.World
	for i := range clones {
		c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		c.Git("checkout", "-q", "-b", fmt.Sprint("b", i))
		worlds = append(worlds, c)
	}
	var all sync.WaitGroup
	took := make([]time.Duration, clones*pushes)
	for i, c := range worlds {
		all.Go(func() {
			for n := range pushes {
				c.Edit("s", fmt.Sprint("f", i), fmt.Sprint("text ", n, "\n"))
				c.Commit(fmt.Sprint("c", n))
				c.Anchor()
				c.Git("push", "-q", "origin", "HEAD")
				began := time.Now()
				if sent := push(t, c, sharing.LevelCommits); len(sent) != 1 || sent[0].State != "pushed" {
					t.Errorf("clone %d, push %d: %+v", i, n, sent)
				}
				took[i*pushes+n] = time.Since(began)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	if p95 := took[len(took)*95/100]; p95 > testenv.Within(2*time.Second) {
		t.Errorf("of 100 pushes 5 take more than %s", p95)
	}
	for _, c := range worlds {
		got := pull(t, c, sharing.What{})
		if len(got.Writers) != clones-1 || got.LeftOut() > 0 {
			t.Errorf("%+v", got)
		}
		if sent := push(t, c, sharing.LevelCommits); len(sent) != 0 { // the pull left what is noted of the own one
			t.Errorf("after the pull: %+v", sent)
		}
		for _, o := range got.Writers {
			if o.Commits != pushes {
				t.Errorf("of %s %d commits came", o.Writer, o.Commits)
			}
		}
	}
}

// S2: work trees of one clone that push at once publish once.
func TestWorkTreesPushAtOnce(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	linked := w.Linked("other")
	rounds := testenv.Pick(2, 5, 200)
	for n := range rounds {
		w.Edit("one", "one.txt", fmt.Sprint("first\nsecond\n", n, "\n"))
		w.Commit(fmt.Sprint("c", n))
		w.Anchor()
		w.Git("push", "-q", "origin", "main")
		var both sync.WaitGroup
		var sent [2]int
		for i, from := range []*recording.World{w, linked} {
			both.Go(func() { sent[i] = len(push(t, from, sharing.LevelCommits)) })
		}
		both.Wait()
		if sent[0]+sent[1] != 1 {
			t.Errorf("round %d: %v were sent", n, sent)
		}
	}
	if log := gitIn(t, remote, "rev-list", "--count", "--glob=refs/traces/*"); log != fmt.Sprint(rounds) {
		t.Errorf("%s publications", log)
	}
}

package events

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// listed are the subjects that `git log --all` shows.
func listed(t *testing.T, repo *refs.Repo) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(runGit(t, repo.WorkTree, "log", "--all", "--format=%s")), "\n")
}

func mustSeal(t *testing.T, log *Log) int64 {
	t.Helper()
	n, err := log.Seal(context.Background())
	check(t, err)
	return n
}

// sealedIn is the log as a repository has it that took the ref and nothing else.
func sealedIn(t *testing.T, log *Log) []int64 {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mirror.git")
	runGit(t, "", "clone", "-q", "--mirror", log.repo.CommonDir, dir)
	other := OpenLog(openRepo(t, dir))
	if r := verifyRef(t, other, ""); r.State != Consistent {
		t.Errorf("the mirror is %s: %v", r.Summary(), r.Faults)
	}
	return numbersIn(t, openCopyOf(t, other, refs.EventsRef))
}

func TestGitShowsOneCommitForTheWholeLog(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t, options...)
			log := OpenLog(repo)
			runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "the user's own")
			for i := range 20 {
				mustAppend(t, log, promptDraft(i))
			}
			if got := listed(t, repo); !slices.Equal(got, []string{"the user's own", "git-trace: the log up to event 2"}) {
				t.Errorf("before it is sealed: %q", got)
			}
			if got := sealedIn(t, log); !slices.Equal(got, counting(1, 2)) {
				t.Errorf("the ref holds %v", got)
			}
			for i := range 3 {
				if n := mustSeal(t, log); i == 0 && n != 19 || i > 0 && n != 1 {
					t.Errorf("seal %d: %d events more", i, n)
				}
				if n := mustSeal(t, log); n != 0 {
					t.Errorf("seal %d: %d events sealed twice", i, n)
				}
				mustAppend(t, log, promptDraft(20+i))
			}
			check(t, os.RemoveAll(log.cacheDir())) // without its memory the place is found by reading
			if n := mustSeal(t, log); n != 1 {
				t.Errorf("%d events more", n)
			}
			if got := listed(t, repo); !slices.Equal(got, []string{"the user's own", "git-trace: the log up to event 24"}) {
				t.Errorf("when it is sealed: %q", got)
			}
			if got := sealedIn(t, log); !slices.Equal(got, counting(1, 24)) {
				t.Errorf("the ref holds %v", got)
			}
			fsck(t, repo)
			runGit(t, repo.WorkTree, "gc", "-q", "--prune=now")
			holdsExactly(t, log, nil, false)
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 24 || len(r.Notes) > 0 {
				t.Errorf("%s, %d events, %v", r.Summary(), r.Events, r.Notes)
			}
		})
	}
}

func TestManySealsAreJoined(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	for i := range sealedFiles + 10 {
		mustAppend(t, log, promptDraft(i))
		mustSeal(t, log)
	}
	p, err := log.ReadPublication(mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", refs.EventsRef)))
	check(t, err)
	if len(p.Files) > 20 {
		t.Errorf("%d files", len(p.Files))
	}
	if got := sealedIn(t, log); len(got) != sealedFiles+11 {
		t.Errorf("the ref holds %d events", len(got))
	}
}

// What stands on the ref in place of the seal is replaced if it is no log, and left alone if it is another one.
func TestASealReplacesNoOtherLog(t *testing.T) {
	t.Parallel()
	other, f := sampleLog(t, 100, 3)
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	seal, err := log.Tip(refs.EventsRef)
	check(t, err)
	mustAppend(t, log, promptDraft(1))
	dir := log.repo.WorkTree
	runGit(t, dir, "fetch", "-q", other.repo.WorkTree, "+"+refs.EventsRef+":"+refs.EventsRef)
	if _, err := log.Seal(context.Background()); !errors.Is(err, ErrSealDiffers) {
		t.Errorf("over another log: %v", err)
	}
	if r := verifyRef(t, log, ""); r.State != Broken || r.Faults[0].Kind != FaultAnchor {
		t.Errorf("beside another log: %s %v", r.Summary(), r.Faults)
	}
	_ = f
	for name, spoil := range map[string]func(){
		"another commit": func() {
			runGit(t, dir, "update-ref", refs.EventsRef, strings.TrimSpace(
				runGit(t, dir, "commit-tree", "-m", "not a log", log.repo.Format.EmptyTree().String())))
		},
		"deleted": func() { runGit(t, dir, "update-ref", "-d", refs.EventsRef) },
		"a blob": func() {
			runGit(t, dir, "update-ref", refs.EventsRef, strings.TrimSpace(runGit(t, dir, "hash-object", "-w", log.JournalPath())))
		},
		"an earlier seal": func() { runGit(t, dir, "update-ref", refs.EventsRef, seal.String()) },
	} {
		spoil()
		n := mustAppend(t, log, promptDraft(2))[0].Seq
		if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 1 && name != "an earlier seal" {
			t.Errorf("%s: %s %v %v", name, r.Summary(), r.Faults, r.Notes)
		}
		mustSeal(t, log)
		if got := sealedIn(t, log); !slices.Equal(got, counting(1, n)) {
			t.Errorf("%s: the ref holds %v", name, got)
		}
		if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 0 {
			t.Errorf("%s, sealed again: %s %v", name, r.Summary(), r.Notes)
		}
	}
}

func TestALostSealedFileIsWrittenAgain(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	mustAppend(t, log, promptDraft(1))
	mustSeal(t, log)
	tip, err := log.Tip(refs.EventsRef)
	check(t, err)
	p, err := log.ReadPublication(tip)
	check(t, err)
	check(t, os.Remove(looseFileOf(log.repo, p.Files[0].Blob)))
	if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "lacks events from 1 on") {
		t.Errorf("%s %v", r.Summary(), r.Notes)
	}
	mustAppend(t, log, promptDraft(2))
	mustSeal(t, log)
	if got := sealedIn(t, log); !slices.Equal(got, counting(1, 4)) {
		t.Errorf("the ref holds %v", got)
	}
	fsck(t, log.repo)
}

func TestASealIsDueByTheNumberOfEvents(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	if log.SealDue() {
		t.Error("due without a log")
	}
	mustAppend(t, log, promptDraft(0))
	end, _ := log.knownEnd()
	if log.SealDue() {
		t.Error("due after one event")
	}
	end.seq += sealEvery
	log.rememberEnd(end)
	if !log.SealDue() {
		t.Errorf("not due after %d events", sealEvery)
	}
	old, _ := sampleLog(t, 0, 3)
	if !old.SealDue() {
		t.Error("not due for a log of commits")
	}
}

// sealing seals the log again and again in processes of its own, and kills every third of them.
func sealing(t *testing.T) func(dir string) func() {
	return func(dir string) func() {
		done := make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					t.Logf("sealed %d times", n)
					return
				default:
				}
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+dir, "EVENTS_TEST_SEAL=1")
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				if n%3 == 2 {
					time.Sleep(time.Duration(n%7) * 5 * time.Millisecond)
					_ = cmd.Process.Kill()
				}
				_ = cmd.Wait()
			}
		})
		return func() { close(done); wait.Wait() }
	}
}

func TestEightWritersBesideSealsLoseNothing(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	for name, commands := range map[string][][]string{
		"alone": nil, "beside gc with prune=now": {{"gc", "-q", "--prune=now"}},
	} {
		t.Run(name, func(t *testing.T) {
			contest{writers: 8, appends: 25, commands: commands, beside: sealing(t)}.run(t)
		})
	}
}

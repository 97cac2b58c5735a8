package events

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// pretendGC writes gc.pid as a running gc does.
func pretendGC(t *testing.T, repo *refs.Repo, pid int) string {
	t.Helper()
	host, err := os.Hostname()
	check(t, err)
	path := filepath.Join(repo.CommonDir, "gc.pid")
	check(t, os.WriteFile(path, fmt.Appendf(nil, "%d %s", pid, host), 0o666))
	return path
}

func looseFileOf(repo *refs.Repo, oid refs.OID) string {
	name := oid.String()
	return filepath.Join(repo.MainObjects(), name[:2], name[2:])
}

// Nothing is sealed beside a gc, and everything after it.
func TestNothingIsSealedBesideAGC(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	pid := pretendGC(t, log.repo, os.Getpid())
	mustAppend(t, log, promptDraft(0))
	mustAppend(t, log, promptDraft(1))
	if n := mustSeal(t, log); n != 0 {
		t.Errorf("%d events were sealed beside the gc", n)
	}
	if tip, err := log.Tip(refs.EventsRef); err != nil || !tip.IsZero() {
		t.Errorf("the ref names %s, %v", tip, err)
	}
	check(t, os.Remove(pid))
	mustSeal(t, log)
	holdsExactly(t, log, nil, false)
	fsck(t, log.repo)
	if got := sealedIn(t, log); len(got) != 3 {
		t.Errorf("the ref holds %v", got)
	}
}

// A gc that began while a seal was made takes its objects.
func TestASealThatAGCTookIsWrittenAgain(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	mustAppend(t, log, promptDraft(1))
	before, err := refs.ListLoose(log.repo.MainObjects())
	check(t, err)
	check(t, log.underRef(context.Background(), func(j *journal, lock *refs.RefLock) error {
		pid := pretendGC(t, log.repo, os.Getpid())
		go func() {
			for tip, _ := log.Tip(refs.EventsRef); tip == lock.Current(); tip, _ = log.Tip(refs.EventsRef) {
				time.Sleep(time.Millisecond)
			}
			all, _ := refs.ListLoose(log.repo.MainObjects())
			for _, o := range all {
				if !slices.Contains(before, o) {
					_ = os.Remove(looseFileOf(log.repo, o.OID))
				}
			}
			_ = os.Remove(pid)
		}()
		_, err := log.seal(context.Background(), j, lock)
		return err
	}))
	fsck(t, log.repo)
	if got := sealedIn(t, log); len(got) != 3 {
		t.Errorf("the ref holds %v", got)
	}
}

func TestOnlyALivingGCCounts(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	log := OpenLog(repo)
	if log.gcRuns() {
		t.Error("a gc runs in a new repository")
	}
	path := pretendGC(t, repo, os.Getpid())
	if !log.gcRuns() {
		t.Error("a living gc is not seen")
	}
	old := time.Now().Add(-13 * time.Hour)
	check(t, os.Chtimes(path, old, old))
	if log.gcRuns() {
		t.Error("a lock of yesterday counts")
	}
	pretendGC(t, repo, 1<<22+1) // beyond the largest process number of Linux
	if log.gcRuns() {
		t.Error("a dead gc counts")
	}
	check(t, os.WriteFile(path, []byte("12 elsewhere"), 0o666))
	if !log.gcRuns() {
		t.Error("a gc on another machine does not count")
	}
}

package events

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
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

// A gc that began before the first append takes the log's seal, whose ref was not there when it looked.
func TestASealPrunedWhileItWasMadeComesBack(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	pid := pretendGC(t, log.repo, os.Getpid())
	mustAppend(t, log, promptDraft(0))
	all, err := refs.ListLoose(log.repo.MainObjects())
	check(t, err)
	for _, o := range all {
		check(t, os.Remove(looseFileOf(log.repo, o.OID)))
	}
	mustAppend(t, log, promptDraft(1)) // the gc still runs: nothing can be mended, nothing stops
	if n := mustSeal(t, log); n != 0 {
		t.Errorf("%d events were sealed beside the gc", n)
	}
	check(t, os.Remove(pid))
	mustAppend(t, log, promptDraft(2))
	for _, o := range all {
		if _, err := os.Lstat(looseFileOf(log.repo, o.OID)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(log.guardPath()); !os.IsNotExist(err) {
		t.Error("the guard list is left")
	}
	holdsExactly(t, log, nil, false)
	fsck(t, log.repo)
	if got := sealedIn(t, log); len(got) != 2 {
		t.Errorf("the ref holds %v", got)
	}
}

// A gc that runs beside the first append deletes each of its objects once, as soon as it is there.
func TestASealPrunedBeforeItWasKeptIsWrittenAgain(t *testing.T) {
	t.Parallel()
	for range testenv.Pick(5, 20, 20) {
		log := OpenLog(newRepo(t))
		pid := pretendGC(t, log.repo, os.Getpid())
		done := make(chan struct{})
		var gc sync.WaitGroup
		gc.Go(func() {
			pruned := map[refs.OID]bool{}
			for {
				select {
				case <-done:
					return
				default:
				}
				all, err := refs.ListLoose(log.repo.MainObjects())
				if err != nil {
					t.Error(err)
					return
				}
				for _, o := range all {
					if !pruned[o.OID] {
						_ = os.Remove(looseFileOf(log.repo, o.OID))
					}
					pruned[o.OID] = true
				}
			}
		})
		mustAppend(t, log, promptDraft(0))
		close(done)
		gc.Wait()
		check(t, os.Remove(pid))
		mustAppend(t, log, promptDraft(1))
		fsck(t, log.repo)
		if got := sealedIn(t, log); len(got) != 2 {
			t.Fatalf("the ref holds %v", got)
		}
	}
}

func TestOnlyALivingGCIsGuardedAgainst(t *testing.T) {
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
	check(t, log.Heal(context.Background()))
}

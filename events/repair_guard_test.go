package events

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

func TestCommitsPrunedWhileAppendedComeBack(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	pid := pretendGC(t, log.repo, os.Getpid())
	var commits []refs.OID
	for i := range 3 {
		mustAppend(t, log, promptDraft(1+i))
		tip, err := log.Tip(refs.EventsRef)
		check(t, err)
		commits = append(commits, tip)
	}
	for _, c := range commits {
		check(t, os.Remove(looseFileOf(log.repo, c)))
	}
	mustAppend(t, log, promptDraft(4)) // the gc still runs: nothing can be mended, nothing stops
	check(t, os.Remove(pid))
	mustAppend(t, log, promptDraft(5))
	for _, c := range commits {
		if _, err := os.Lstat(looseFileOf(log.repo, c)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(log.guardPath()); !os.IsNotExist(err) {
		t.Error("the guard list is left")
	}
	holdsExactly(t, log, nil, false)
	fsck(t, log.repo)
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

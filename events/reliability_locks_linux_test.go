package events

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// Git is killed at every system call of an update of the log's ref. It leaves its lock behind, which would stop every
// later seal; once the lock is old enough to belong to nobody, the next seal takes it away.
func TestReliabilityB3LocksThatAKilledGitLeft(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	repo := newRepo(t)
	log := OpenLog(repo)
	acked := []ID{mustAppend(t, log, promptDraft(0))[0].ID}
	lock := filepath.Join(repo.CommonDir, refs.EventsRef+".lock")
	points, left := 0, 0
	for _, call := range []string{"openat", "write", "close", "rename", "unlink", "mkdir"} {
		for when := 1; ; when++ {
			if !updateUnderKill(t, repo, call, when) || points > 500 {
				break
			}
			points++
			if _, err := os.Lstat(lock); err == nil {
				left++
				check(t, os.Chtimes(lock, time.Time{}, time.Now().Add(-time.Minute)))
			}
			e := mustAppendWithin(t, log, 15*time.Second, promptDraft(points))
			acked = append(acked, e[len(e)-1].ID)
			mustSeal(t, log)
			if _, err := os.Lstat(lock); err == nil {
				t.Errorf("killed at %s %d: the lock is still there", call, when)
			}
		}
	}
	if left < 3 {
		t.Errorf("%d points left %d locks: this test no longer knows git", points, left)
	}
	holdsExactly(t, log, acked, false)
	fsck(t, repo)
	t.Logf("killed at %d points, %d locks left and recovered", points, left)
}

// updateUnderKill has git set the ref to what it is, under its lock, and kills it at the n-th call of a kind.
func updateUnderKill(t *testing.T, repo *refs.Repo, call string, when int) bool {
	t.Helper()
	tip, err := repo.ReadRef(refs.EventsRef)
	check(t, err)
	cmd := exec.Command("strace", "-f", "-qq", "-o", os.DevNull, "-e", fmt.Sprintf("inject=?%s:signal=KILL:when=%d", call, when),
		"git", "update-ref", "--no-deref", "-m", "x", refs.EventsRef, tip.String(), tip.String())
	cmd.Dir = repo.WorkTree
	return cmd.Run() != nil // killed; git on its own succeeds
}

// A lock whose maker lives is waited for and never taken, however long it is held.
func TestReliabilityB3LiveLocks(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	held := time.Duration(testenv.Pick(0, 1, 12)) * time.Second // long enough for a lock to pass for a dead one's
	repo := newRepo(t)
	log := OpenLog(repo)
	mustAppend(t, log, promptDraft(0))
	tip, err := repo.ReadRef(refs.EventsRef)
	check(t, err)
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir = repo.WorkTree
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	fmt.Fprintf(in, "start\nupdate %s %s %s\nprepare\n", refs.EventsRef, tip, tip)
	answer := make([]byte, len("start: ok\nprepare: ok\n"))
	for n := 0; n < len(answer); {
		k, err := out.Read(answer[n:])
		check(t, err)
		n += k
	}
	lock := filepath.Join(repo.CommonDir, refs.EventsRef+".lock")
	released := make(chan time.Time, 1)
	go func() {
		time.Sleep(held)
		if _, err := os.Lstat(lock); err != nil {
			t.Error("the live lock was taken away")
		}
		released <- time.Now()
		fmt.Fprintf(in, "abort\n")
		_ = in.Close()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	mustAppend(t, log, promptDraft(1)) // needs no lock of the ref
	if _, err := log.Seal(ctx); err != nil {
		t.Fatal(err)
	}
	if at := <-released; time.Now().Before(at) {
		t.Error("the seal did not wait")
	}
	_ = cmd.Wait()
	holdsExactly(t, log, nil, false)
}

package refs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// start runs a prepared process until the test ends and returns the first line it prints.
func start(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestALockOfAKilledProcessOfOursIsRecoveredAtOnce(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	holder := inProcess("hold", repo.WorkTree, EventsRef)
	if line := start(t, holder); line != "held" {
		t.Fatal(line)
	}
	if _, err := repo.LockRefWithin(EventsRef, 50*time.Millisecond); !errors.Is(err, ErrLocked) {
		t.Fatalf("while its maker lives: %v", err)
	}
	if _, err := tryGit(repo.WorkTree, "update-ref", EventsRef, "HEAD"); err == nil {
		t.Fatal("git went through the lock")
	}
	kill(holder)
	begin := time.Now()
	if err := appendCommit(repo, EventsRef, "after"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > testenv.Within(time.Second) {
		t.Errorf("took %v", took)
	}
	noLocks(t, repo)
}

func TestForeignLocks(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-time.Hour)
	tests := []struct {
		name  string
		make  func(t *testing.T, r *Repo, path string)
		stale bool
	}{
		{name: "young and closed", make: func(t *testing.T, _ *Repo, path string) {
			write(t, path, "")
		}},
		{name: "old and closed", stale: true, make: func(t *testing.T, _ *Repo, path string) {
			write(t, path, "")
			age(t, path, old)
		}},
		{name: "old, closed and with content", stale: true, make: func(t *testing.T, _ *Repo, path string) {
			write(t, path, strings.Repeat("a", 40)+"\n")
			age(t, path, old)
		}},
		{name: "old and open here", make: func(t *testing.T, _ *Repo, path string) {
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = f.Close() })
			age(t, path, old)
		}},
		{name: "old and open elsewhere", make: func(t *testing.T, _ *Repo, path string) {
			write(t, path, "")
			cmd := exec.Command("sh", "-c", `exec 9<"$0"; echo open; exec sleep 1000`, path)
			start(t, cmd)
			age(t, path, old)
		}},
		{name: "beside a mark that is another file", make: func(t *testing.T, r *Repo, path string) {
			write(t, path, "")
			write(t, r.TracesDir()+"/locks/refs.traces.events.held", "")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && test.name == "old and open here" {
				t.Skip("the system does not say who has a file open")
			}
			repo := newRepo(t)
			if err := repo.SwapRef(context.Background(), EventsRef, OID{}, commitObject(t, repo, "first")); err != nil {
				t.Fatal(err)
			}
			path := repo.refPath(EventsRef) + ".lock"
			test.make(t, repo, path)
			lock, err := repo.LockRef(EventsRef)
			if test.stale {
				if err != nil {
					t.Fatal(err)
				}
				lock.Abort()
				noLocks(t, repo)
				return
			}
			if !errors.Is(err, ErrLocked) {
				t.Fatalf("got %v", err)
			}
			if !exists(path) {
				t.Error("a lock that may be live was removed")
			}
		})
	}
}

func age(t *testing.T, path string, when time.Time) {
	t.Helper()
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

// TestATransactionOfGitKeepsItsClosedLock covers the lock files that git closes before it renames them.
func TestATransactionOfGitKeepsItsClosedLock(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the system does not show other processes")
	}
	repo := newRepo(t)
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir, cmd.Env = repo.WorkTree, gitEnv()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	if _, err := fmt.Fprintf(in, "start\ncreate %s %s\nprepare\n", EventsRef, commitObject(t, repo, "theirs")); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	for _, want := range []string{"start: ok\n", "prepare: ok\n"} {
		if line, err := answers.ReadString('\n'); err != nil || line != want {
			t.Fatalf("%q %v", line, err)
		}
	}
	lock, err := os.Stat(repo.refPath(EventsRef) + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	inAMinute := time.Now().Add(time.Minute)
	if staleLock(lock, inAMinute, repo.CommonDir, repo.GitDir, repo.WorkTree) {
		t.Error("taken for stale while git is in the middle of its transaction")
	}
	kill(cmd)
	if !staleLock(lock, inAMinute, repo.CommonDir, repo.GitDir, repo.WorkTree) {
		t.Error("not taken for stale after git was killed")
	}
}

// TestKilledAppendersLoseNothingAcknowledged kills appending processes at arbitrary instants. What they said was done
// must be there, and the next append must not have to wait.
func TestKilledAppendersLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	rounds := 60
	if testenv.Quick() {
		rounds = 10
	}
	repo := newRepo(t)
	var acknowledged []string
	for round := range rounds {
		cmd := inProcess("append", repo.WorkTree, EventsRef, fmt.Sprintf("r%d", round), "1000")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		if _, err := lines.Peek(1); err != nil { // slow machines need a while to come this far
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(round*997%20_000)*time.Microsecond, func() { _ = cmd.Process.Kill() })
		text, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		acknowledged = append(acknowledged, strings.Fields(string(text))...)
		begin := time.Now()
		if err := appendCommit(repo, EventsRef, fmt.Sprintf("after%d", round)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > testenv.Within(2*time.Second) {
			t.Errorf("round %d: the next append took %v", round, took)
		}
	}
	have := map[string]bool{}
	for line := range strings.SplitSeq(git(t, repo.WorkTree, "log", "--format=%s", EventsRef), "\n") {
		have[line] = true
	}
	for _, name := range acknowledged {
		if !have[name] {
			t.Errorf("%s was acknowledged and is lost", name)
		}
	}
	git(t, repo.WorkTree, "fsck", "--full", "--strict")
}

func TestAppendingWithFsync(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	repo.Fsync = true
	for i := range 3 {
		if err := appendCommit(repo, EventsRef, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := git(t, repo.WorkTree, "rev-list", "--count", EventsRef); got != "3" {
		t.Errorf("%s commits", got)
	}
	noLocks(t, repo)
}

func TestALockIsReleasedOnEveryFailure(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tip := commitObject(t, repo, "tip")
	for _, test := range []struct {
		name string
		ctx  context.Context
		id   OID
		want error
	}{
		{"a cancelled context", cancelled, tip, context.Canceled},
		{"no id", context.Background(), OID{}, ErrBadOID},
		{"an id of the other format", context.Background(), SHA256.EmptyTree(), ErrBadOID},
	} {
		lock, err := repo.LockRef(EventsRef)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if err := lock.Commit(test.ctx, test.id); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		noLocks(t, repo)
		if err := lock.Commit(context.Background(), tip); err == nil {
			t.Errorf("%s: a released lock committed", test.name)
		}
		lock.Abort()
	}
	if _, err := repo.ReadRef(EventsRef); !errors.Is(err, ErrRefMissing) {
		t.Errorf("the ref came to be: %v", err)
	}
}

// TestWithoutHardLinks puts the second name of the lock on another file system, where it cannot be a hard link.
func TestWithoutHardLinks(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	other := elsewhere(t, repo.GitDir)
	if err := os.MkdirAll(repo.TracesDir(), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(repo.TracesDir(), "locks")); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := appendCommit(repo, EventsRef, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	holder := inProcess("hold", repo.WorkTree, EventsRef)
	start(t, holder)
	kill(holder)
	path := repo.refPath(EventsRef) + ".lock"
	if _, err := repo.LockRef(EventsRef); !errors.Is(err, ErrLocked) || !exists(path) {
		t.Fatalf("a young lock without a mark: %v", err)
	}
	age(t, path, time.Now().Add(-staleAgeBlind-time.Minute))
	if err := appendCommit(repo, EventsRef, "after"); err != nil {
		t.Fatal(err)
	}
	noLocks(t, repo)
}

// elsewhere is a new directory on another file system than a path's.
func elsewhere(t *testing.T, path string) string {
	t.Helper()
	here, _ := deviceOf(path)
	for _, parent := range []string{"/dev/shm", "/var/tmp", "/tmp"} {
		dir, err := os.MkdirTemp(parent, "refs-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if there, _ := deviceOf(dir); there != here {
			return dir
		}
	}
	testenv.Forbids(t, "there is no second file system")
	return ""
}

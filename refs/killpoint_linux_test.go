package refs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestEveryKillPoint stops an append with SIGKILL, then with an I/O error, at every occurrence of every system call
// that changes something. Whatever happens, the ref is the old or the new one, the repository is sound, and the next
// append neither fails nor waits.
func TestEveryKillPoint(t *testing.T) {
	t.Parallel()
	testenv.NeedsTrace(t)
	for _, fault := range []string{"signal=SIGKILL", "error=EIO"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t)
			if err := appendCommit(repo, EventsRef, "first"); err != nil {
				t.Fatal(err)
			}
			hit, left := 0, 0
			for _, call := range []string{"openat", "write", "linkat", "renameat", "unlinkat", "mkdirat", "flock", "close", "fchmodat"} {
				for n := 1; n <= 40; n++ {
					if !killedAt(t, repo, call, fault, n, &left) {
						break
					}
					hit++
				}
			}
			if hit < 15 || fault == "signal=SIGKILL" && left < 3 {
				t.Errorf("only %d points hit and %d locks left: this test no longer knows the append", hit, left)
			}
			git(t, repo.WorkTree, "fsck", "--full", "--strict")
		})
	}
}

// killedAt runs one append with a fault at the n-th call of a kind and reports whether the fault happened; left counts
// the locks it found lying about.
func killedAt(t *testing.T, repo *Repo, call, fault string, n int, left *int) bool {
	t.Helper()
	name := fmt.Sprintf("%s-%d", call, n)
	trace := filepath.Join(t.TempDir(), "trace")
	before := git(t, repo.WorkTree, "rev-parse", EventsRef)
	child := inProcess("append", repo.WorkTree, EventsRef, name, "1")
	cmd := exec.Command("strace", "-f", "-o", trace, "-e", "trace="+call,
		"-e", fmt.Sprintf("inject=%s:%s:when=%d", call, fault, n), child.Path, repo.WorkTree, EventsRef, name, "1")
	cmd.Env = child.Env
	out, _ := cmd.Output()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	tip, err := repo.ReadRef(EventsRef)
	if err != nil {
		t.Errorf("%s, %s: %v", fault, name, err)
		return false
	}
	done := git(t, repo.WorkTree, "log", "-1", "--format=%s", tip.String()) == name+"-0"
	if !done && tip.String() != before {
		t.Errorf("%s, %s: the tip is neither the old nor the new", fault, name)
	}
	if strings.Contains(string(out), name) && !done {
		t.Errorf("%s, %s: acknowledged and lost", fault, name)
	}
	if exists(repo.refPath(EventsRef) + ".lock") {
		*left++
	}
	begin := time.Now()
	if err := appendCommit(repo, EventsRef, "after "+name); err != nil {
		t.Errorf("%s, %s: the next append: %v", fault, name, err)
	}
	if took := time.Since(begin); took > testenv.Within(3*time.Second) {
		t.Errorf("%s, %s: the next append took %v", fault, name, took)
	}
	if exists(repo.refPath(EventsRef) + ".lock") {
		t.Errorf("%s, %s: the lock is still there", fault, name)
	}
	return strings.Contains(string(text), "INJECTED") || strings.Contains(string(text), "killed by SIGKILL")
}

package refs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestGitComparesUnderTheLock holds that git's compare-and-swap, as this package calls it, reads packed-refs only when
// it has the ref's lock: what it read before it may be out of date, and git does not always notice (see casByGit).
func TestGitComparesUnderTheLock(t *testing.T) {
	t.Parallel()
	testenv.NeedsTrace(t)
	repo := newRepo(t)
	if err := appendCommit(repo, EventsRef, "first"); err != nil {
		t.Fatal(err)
	}
	git(t, repo.WorkTree, "pack-refs", "--all", "--prune")
	tip := git(t, repo.WorkTree, "rev-parse", EventsRef)
	next := commitObject(t, repo, "second").String()

	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", append([]string{"-f", "-o", trace, "-e", "trace=openat", "git"}, casByGit[:]...)...)
	cmd.Dir, cmd.Env = repo.WorkTree, repo.Env()
	cmd.Stdin = strings.NewReader("update " + EventsRef + "\x00" + next + "\x00" + tip + "\x00")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if now := git(t, repo.WorkTree, "rev-parse", EventsRef); now != next {
		t.Errorf("the ref is %s", now)
	}
	locked, packed := strings.Index(string(text), EventsRef+".lock"), strings.Index(string(text), "packed-refs")
	if locked < 0 || packed < 0 || packed < locked {
		t.Errorf("the lock was opened at %d, packed-refs at %d:\n%s", locked, packed, text)
	}
}

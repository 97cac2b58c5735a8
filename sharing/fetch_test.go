package sharing_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// S19: publications of others that were fetched are not in the way of a plain fetch, though all of them are newer than
// any commit of code: git offers what has the newest date first, and theirs is the epoch. So it is where the remote has
// them, where a fetch brings them, and where another remote knows nothing of them. The writers published one after the
// other, which was the worst case while publications had their dates.
func TestFetchedDigestsAreNotInTheWayOfFetch(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	var writers []*recording.World
	for range testenv.Pick(2, 4, 20) {
		writers = append(writers, recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, "."))
	}
	for _, c := range writers {
		for n := range testenv.Pick(2, 10, 50) {
			c.Edit("s", fmt.Sprint("f", n), "text\n")
			c.Commit("kept to one clone")
			c.Anchor()
			c.Git("push", "-q", "-f", "origin", "HEAD:refs/heads/of-one")
			push(t, c, sharing.LevelCommits)
		}
	}
	gitIn(t, remote, "update-ref", "-d", "refs/heads/of-one")
	fork := filepath.Join(t.TempDir(), "fork.git")
	gitIn(t, remote, "clone", "-q", "--bare", remote, fork) // branches and tags alone
	var readers [3]*recording.World
	for i := range readers {
		readers[i] = recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
		pull(t, readers[i], sharing.What{})
	}
	s, err := sharing.ReadSettings(t.Context(), readers[1].Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	w.Check(sharing.Configure(t.Context(), readers[1].Repo, s, r, true))
	w.Git("commit", "-q", "--allow-empty", "-m", "new upstream")
	w.Git("push", "-q", "origin", "main")
	w.Git("push", "-q", fork, "main")
	for i, from := range []string{"origin", "origin", fork} {
		n := offers(t, readers[i], from)
		t.Logf("reader %d: %d commits are offered", i, n)
		if n < 1 || n > 32 {
			t.Errorf("reader %d, from %s: %d commits are offered", i, from, n)
		}
	}
}

// offers counts the commits that a plain fetch offers.
func offers(t *testing.T, w *recording.World, from string) int {
	t.Helper()
	packets := filepath.Join(t.TempDir(), "packets")
	cmd := exec.Command("git", "-C", w.Repo.WorkTree, "fetch", "-q", from)
	cmd.Env = append(os.Environ(), "GIT_TRACE_PACKET="+packets)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	text, err := os.ReadFile(packets)
	w.Check(err)
	offered := map[string]bool{} // what is common is said again in each round
	for line := range strings.Lines(string(text)) {
		if _, id, is := strings.Cut(strings.TrimSpace(line), "fetch> have "); is {
			offered[id] = true
		}
	}
	return len(offered)
}

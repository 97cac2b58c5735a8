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

// S19: publications of others that were fetched, all of them newer than any commit of code, are not in the way of a plain
// fetch. The remote has them, and each that it acknowledges takes those before it out of what is offered. One of each
// writer has to be offered, and git doubles what it sends before it hears; where a fetch brings digests, the remote names
// its own first.
func TestFetchedDigestsAreNotInTheWayOfFetch(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	var writers []*recording.World
	for range testenv.Pick(2, 3, 20) {
		writers = append(writers, recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, "."))
	}
	for n := range testenv.Pick(2, 8, 50) {
		for _, c := range writers {
			c.Edit("s", fmt.Sprint("f", n), "text\n")
			c.Commit("kept to one clone")
			c.Anchor()
			c.Git("push", "-q", "-f", "origin", "HEAD:refs/heads/of-one")
			push(t, c, sharing.LevelCommits)
		}
	}
	gitIn(t, remote, "update-ref", "-d", "refs/heads/of-one")
	var readers [2]*recording.World
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
	for i, most := range []int{32 + len(writers), 32} {
		if n := offers(t, readers[i]); n < 1 || n > most {
			t.Errorf("configured %v: %d commits are offered", i > 0, n)
		}
	}
}

// offers counts the commits that a plain fetch offers.
func offers(t *testing.T, w *recording.World) int {
	t.Helper()
	packets := filepath.Join(t.TempDir(), "packets")
	cmd := exec.Command("git", "-C", w.Repo.WorkTree, "fetch", "-q", "origin")
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

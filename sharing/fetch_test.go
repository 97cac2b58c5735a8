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
// fetch. The remote has them, and each that it acknowledges takes those before it out of what is offered.
func TestFetchedDigestsAreNotInTheWayOfFetch(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	for range testenv.Pick(2, 3, 20) {
		c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		for n := range testenv.Pick(2, 8, 50) {
			c.Edit("s", fmt.Sprint("f", n), "text\n")
			c.Commit("kept to one clone")
			c.Anchor()
			c.Git("push", "-q", "-f", "origin", "HEAD:refs/heads/of-one")
			push(t, c, sharing.LevelCommits)
		}
	}
	gitIn(t, remote, "update-ref", "-d", "refs/heads/of-one")
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	pull(t, reader, sharing.What{})
	w.Git("commit", "-q", "--allow-empty", "-m", "new upstream")
	w.Git("push", "-q", "origin", "main")
	packets := filepath.Join(t.TempDir(), "packets")
	cmd := exec.Command("git", "-C", reader.Repo.WorkTree, "fetch", "-q", "origin")
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
	if n := len(offered); n < 1 || n > 32 {
		t.Errorf("%d commits are offered", n)
	}
}

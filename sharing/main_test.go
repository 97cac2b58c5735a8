package sharing_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate/reconcile"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// bare is an empty remote.
func bare(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "remote.git")
	out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// published is a world whose first commits are on a remote.
func published(t testing.TB) (*recording.World, string) {
	t.Helper()
	w, remote := recording.New(t), bare(t)
	w.Git("remote", "add", "origin", remote)
	w.Edit("one", "one.txt", "first\nsecond\n")
	w.Commit("by an agent")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	return w, remote
}

func plan(t testing.TB, w *recording.World, level sharing.Level) (*sharing.Plan, error) {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Destination("origin")
	w.Check(err)
	return sharing.MakePlan(t.Context(), events.OpenLog(w.Repo), s, r, level, means)
}

// redactions are the rules of the tests that run one after the other.
var redactions redact.Options

func push(t testing.TB, w *recording.World, level sharing.Level) []sharing.Pushed {
	t.Helper()
	p, err := plan(t, w, level)
	w.Check(err)
	defer p.Close()
	sent, err := p.Push(t.Context(), true)
	w.Check(err)
	return sent
}

func pull(t testing.TB, w *recording.World, what sharing.What) *sharing.Pulled {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	p, err := sharing.Pull(t.Context(), events.OpenLog(w.Repo), r, what)
	w.Check(err)
	return p
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// owner is what blame says of each line of a file at HEAD.
func owners(t testing.TB, w *recording.World, path string) string {
	t.Helper()
	ix, err := index.Open(w.Repo)
	w.Check(err)
	defer ix.Close()
	var out strings.Builder
	evidence := blame.NewEvidence(w.Repo, ix, nil)
	for i, line := range strings.Split(gitIn(t, w.Repo.WorkTree, "blame", "--porcelain", "-s", "HEAD", "--", path), "\n") {
		fields := strings.Fields(line)
		id, err := refs.ParseOID(strings.Split(line, " ")[0])
		if err != nil || len(fields) < 3 || strings.HasPrefix(line, "\t") {
			continue
		}
		n := 0
		_, err = fmt.Sscan(fields[1], &n)
		w.Check(err)
		at, err := evidence.Committed(t.Context(), id, path, []int{n})
		w.Check(err)
		who := *at[0]
		who.Writer = "" // in whose log it stands, which is another when a clone has taken a new id
		fmt.Fprintf(&out, "%d %s %+v\n", i, id, who)
	}
	return out.String()
}

// means is the work of other rooms in the tests.
var means = sharing.Means{Redactor: redactor, Reconcile: reconcile.Remote}

// redactor is the redactor of the tests.
func redactor(context.Context) (*redact.Redactor, error) { return redact.New(redactions) }

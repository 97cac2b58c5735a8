package sharing_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// S22: where many refs came, they are packed: a file for each would be opened by each command.
func TestManyRefsThatCameArePacked(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	tip := gitIn(t, remote, "rev-parse", "refs/traces/writers/"+testenv.WriterOf(t, w.Repo.WorkTree)+"/digest")
	var lines strings.Builder
	for n := range 100 {
		fmt.Fprintf(&lines, "create refs/traces/writers/%016x/digest %s\n", n, tip)
	}
	cmd := exec.Command("git", "-C", remote, "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(lines.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fresh := w.Clone()
	fresh.Git("remote", "set-url", "origin", remote)
	if p := pull(t, fresh, sharing.What{}); p.Refs != 101 {
		t.Errorf("%+v", p)
	}
	loose, err := filepath.Glob(filepath.Join(fresh.Repo.GitDir, "refs", "traces", "remotes", "origin", "*", "digest"))
	if err != nil || len(loose) > 10 {
		t.Errorf("%d refs are files of their own, %v", len(loose), err)
	}
	if kept := strings.Count(fresh.Git("for-each-ref", "refs/traces/remotes/origin"), "\n") + 1; kept != 101 {
		t.Errorf("%d refs are here", kept)
	}
}

// S22: a remote with thousands of refs of traces is asked about first; with a writer's id it is read.
func TestARemoteWithThousandsOfRefs(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	tip := gitIn(t, remote, "rev-parse", "refs/traces/writers/"+writer+"/digest")
	var lines strings.Builder
	for n := range testenv.Pick(5001, 5001, 100_000) {
		fmt.Fprintf(&lines, "create refs/traces/writers/%016x/digest %s\n", n, tip)
	}
	cmd := exec.Command("git", "-C", remote, "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(lines.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fresh := w.Clone()
	fresh.Git("remote", "set-url", "origin", remote)
	s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	if _, err := sharing.Pull(t.Context(), events.OpenLog(fresh.Repo), r, sharing.What{}); !errors.Is(err, sharing.ErrTooMany) {
		t.Errorf("all of it: %v", err)
	}
	if kept := fresh.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Errorf("something was fetched: %.200s", kept)
	}
	if p := pull(t, fresh, sharing.What{Writers: []string{writer}}); p.LeftOut() != 0 || len(p.Writers) != 1 {
		t.Errorf("one of them: %+v", p)
	}
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	defer p.Close()
	if p.Others < 5000 {
		t.Errorf("a push counts %d refs of others", p.Others)
	}
}

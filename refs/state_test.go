package refs

import (
	"path/filepath"
	"testing"
)

// Whatever moves a ref or the HEAD of a work tree is another state; the log is not, and neither is looking again.
func TestTheStateOfRefsChangesWithEachRef(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	linked := filepath.Join(t.TempDir(), "linked")
	state := func() string {
		t.Helper()
		text, err := repo.RefsState(t.Context(), "refs/traces/")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	git(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "one")
	git(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "two")
	git(t, repo.WorkTree, "worktree", "add", "-q", "--detach", linked, "HEAD")
	last := state()
	for _, step := range []struct {
		dir     string
		args    []string
		changes bool
	}{
		{repo.WorkTree, []string{"commit", "-q", "--allow-empty", "-m", "three"}, true},
		{repo.WorkTree, []string{"tag", "light", "HEAD~1"}, true},
		{repo.WorkTree, []string{"tag", "-a", "-m", "heavy", "heavy", "HEAD~1"}, true},
		{repo.WorkTree, []string{"update-ref", "refs/traces/events", "HEAD"}, false},
		{repo.WorkTree, []string{"status"}, false},
		{repo.WorkTree, []string{"switch", "-q", "--detach", "HEAD~1"}, true},
		{linked, []string{"switch", "-q", "--detach", "HEAD~1"}, true},
		{repo.WorkTree, []string{"pack-refs", "--all"}, true}, // it need not be, and is no harm
		{repo.WorkTree, []string{"update-ref", "refs/traces/events", "HEAD~1"}, false},
		{repo.WorkTree, []string{"pack-refs", "--all"}, false},
		{repo.WorkTree, []string{"tag", "-d", "heavy"}, true},
		{repo.WorkTree, []string{"update-ref", "refs/heads/main", "HEAD"}, true},
		{repo.WorkTree, []string{"update-ref", "refs/remotes/origin/main", "HEAD"}, true},
	} {
		git(t, step.dir, step.args...)
		now := state()
		if (now != last) != step.changes {
			t.Errorf("after git %v the state is\n%s\nbefore\n%s", step.args, now, last)
		}
		last = now
	}
}

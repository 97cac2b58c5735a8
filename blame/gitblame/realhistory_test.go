package gitblame

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// realHistory is a clone of the repository that BLAME_HISTORY names, of this project's own where it is not set.
func realHistory(t *testing.T) *repo {
	t.Helper()
	from := os.Getenv("BLAME_HISTORY")
	if from == "" {
		out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
		if err != nil {
			t.Skip("this is no clone with a history")
		}
		from = strings.TrimSpace(string(out))
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{&blamerepo.Repo{T: t, Dir: filepath.Join(dir, "clone")}}
	if out, err := exec.Command("git", "clone", "-q", "--no-local", from, r.Dir).CombinedOutput(); err != nil {
		t.Skipf("cannot be cloned: %s", out)
	}
	return r
}

// Commit after commit of a real history, the files that it touched and one that it did not are blamed by way of what is
// kept from the commits before. The full form takes the last 1,000 commits.
func TestBlameOverARealHistoryIsGits(t *testing.T) {
	t.Parallel()
	realHistory(t).followHistory(t, testenv.Pick(3, 8, 1000))
}

// followHistory blames in each of the last commits of the main line, oldest first.
func (r *repo) followHistory(t *testing.T, last int) {
	t.Helper()
	commits := strings.Fields(r.Git("rev-list", "--reverse", "--first-parent", "HEAD"))
	commits = commits[max(0, len(commits)-last):]
	var ways ways
	bystander, blamed := "", 0
	for i, commit := range commits {
		r.Git("checkout", "-q", "-f", "--detach", commit)
		touched := strings.Split(strings.TrimSpace(r.Git("diff-tree", "-r", "--root", "-m", "--first-parent", "--no-commit-id", "--name-only", "--diff-filter=AM", "-z", commit)), "\x00")
		files := touched[:min(len(touched), 3)]
		if bystander != "" {
			files = append(files[:len(files):len(files)], bystander)
		}
		for _, file := range files {
			info, err := os.Lstat(filepath.Join(r.Dir, file))
			if file == "" || err != nil || !info.Mode().IsRegular() {
				continue
			}
			ways.count(r.find(t, "--porcelain", "--", file))
			r.compare(t, []string{"--porcelain", "--line-porcelain"}[i%2:][:1], "--", file)
			if i%10 == 0 { // asked again
				ways.count(r.find(t, "--porcelain", "--", file))
			}
			bystander = file
			blamed++
		}
	}
	t.Logf("%d commits, %d files: %+v", len(commits), blamed, ways)
	if len(commits) > 50 && (ways.recalled == 0 || ways.composed == 0) {
		t.Errorf("not all ways were gone: %+v", ways)
	}
}

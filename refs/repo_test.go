package refs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// gitEnv is the environment of every git the tests start: nothing of the user's configuration.
func gitEnv(extra ...string) []string {
	env := append(baseEnv(os.Environ()),
		"HOME=/nonexistent", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=1700000000 +0100",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=1700000000 +0100",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false", // see testenv.Config
	)
	return append(env, extra...)
}

// git runs git in dir and returns its output without the final newline.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv()
	out, err := runGit(cmd, verbOf(args))
	return strings.TrimSuffix(string(out), "\n"), err
}

// newRepo makes a repository with one commit and discovers it.
func newRepo(t testing.TB, initArgs ...string) *Repo {
	t.Helper()
	return newRepoAt(t, filepath.Join(t.TempDir(), "repo"), initArgs...)
}

func newRepoAt(t testing.TB, dir string, initArgs ...string) *Repo {
	t.Helper()
	git(t, filepath.Dir(dir), append(append([]string{"init", "-q", "-b", "main"}, initArgs...), dir)...)
	write(t, filepath.Join(dir, "file.txt"), "one\ntwo\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	return discover(t, dir)
}

// askGit is the storage of a repository whose refs are files, and which is said to store them in a way that only git
// knows.
const askGit = "elsewhere"

// storages are those that newRepoOf makes.
var storages = []string{refFiles, refTables, askGit}

// newRepoOf is newRepo with a storage of refs. A git that does not have it skips the test.
func newRepoOf(t testing.TB, storage string) *Repo {
	t.Helper()
	switch storage {
	case refTables:
		testenv.NeedsReftable(t)
		return newRepo(t, "--ref-format="+storage)
	case askGit:
		repo := newRepo(t)
		repo.RefFormat = storage
		return repo
	}
	return newRepo(t)
}

func discover(t testing.TB, dir string) *Repo {
	t.Helper()
	repo, err := DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestObjectsAndRefsOfOneRepository(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t, "--object-format="+format)
			if repo.Format.String() != format {
				t.Fatalf("format %s", repo.Format)
			}
			head, branch, err := repo.Head()
			if err != nil || branch != "refs/heads/main" || head.String() != git(t, repo.WorkTree, "rev-parse", "HEAD") {
				t.Fatalf("head %s %s: %v", head, branch, err)
			}
			objects := repo.Objects()
			defer func() { _ = objects.Close() }()
			commit, err := objects.Commit(head)
			if err != nil || commit.Message != "first\n" || commit.Author.Name != "Ada" {
				t.Fatalf("commit %+v: %v", commit, err)
			}
			tip, err := repo.WriteLoose(repo.MainObjects(), CommitObject, EncodeCommit(commit))
			if err != nil || tip != head {
				t.Fatalf("commit encodes to %s, not %s: %v", tip, head, err)
			}
			if err := repo.SwapRef(context.Background(), EventsRef, OID{}, head); err != nil {
				t.Fatal(err)
			}
			if got := git(t, repo.WorkTree, "rev-parse", EventsRef); got != head.String() {
				t.Fatalf("git sees %s", got)
			}
			git(t, repo.WorkTree, "pack-refs", "--all")
			if got, err := repo.ReadRef(EventsRef); err != nil || got != head {
				t.Fatalf("packed: %s %v", got, err)
			}
			oid, typ, err := objects.Resolve("HEAD:file.txt")
			if err != nil || typ != BlobObject {
				t.Fatal(err)
			}
			if blob, err := objects.Blob(oid); err != nil || string(blob) != "one\ntwo\n" {
				t.Fatalf("%q %v", blob, err)
			}
			git(t, repo.WorkTree, "fsck", "--full", "--strict")
		})
	}
}

func TestTheWorkTreesOfARepositoryAreListedFromEachOfThem(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main, linked := filepath.Join(top, "a [b] c*"), filepath.Join(top, "linked")
	if err := os.Mkdir(main, 0o777); err != nil {
		t.Fatal(err)
	}
	newRepoAt(t, main)
	git(t, main, "commit", "-q", "--allow-empty", "-m", "one")
	git(t, main, "worktree", "add", "-q", linked)
	for _, dir := range []string{main, linked} {
		if got := discover(t, dir).WorkTrees(); !slices.Equal(got, []string{main, linked}) {
			t.Errorf("from %s: %q", dir, got)
		}
	}
	link := filepath.Join(main, ".git", "worktrees", "linked", "gitdir")
	write(t, link, filepath.Join("..", "..", "..", "..", "linked", ".git")+"\n")
	if got := discover(t, main).WorkTrees(); !slices.Equal(got, []string{main, linked}) {
		t.Errorf("of a relative name: %q", got)
	}
}

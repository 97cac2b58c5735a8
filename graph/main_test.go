package graph

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives git a home without configuration, one clock and one identity for all tests, which may then run in
// parallel.
func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, "GIT_AUTHOR_DATE=2026-11-02T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-02T10:00:00Z"))
}

// newRepo makes an empty repository and gives a function that runs git in it.
func newRepo(t testing.TB) (*refs.Repo, func(args ...string) string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo, git
}

// oid makes an object id of one digit.
func oid(digit string) refs.OID {
	id, err := refs.ParseOID(strings.Repeat(digit, 40))
	if err != nil {
		panic(err)
	}
	return id
}

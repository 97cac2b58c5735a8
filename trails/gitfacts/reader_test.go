package gitfacts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// git runs git in a directory and gives what it said.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func parse(t *testing.T, id string) refs.OID {
	t.Helper()
	oid, err := refs.ParseOID(id)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// The real reader says what git says, and says it again without asking.
func TestReadingARepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	write := func(path, text string) {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(message string) refs.OID {
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", message)
		return parse(t, git(t, dir, "rev-parse", "HEAD"))
	}
	write("a b", "one\n")
	first := commit("first")
	write("a b", "two\n")
	write("c", "c\n")
	second := commit("second")
	write("c", "stashed\n")
	write("new", "new\n")
	git(t, dir, "stash", "-q", "-u")
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	objects := repo.Objects()
	t.Cleanup(func() { _ = objects.Close() })
	g := NewGit(t.Context(), repo, objects)
	for range 2 {
		if c, err := g.Commit(second); err != nil || !slices.Equal(c.Parents, []refs.OID{first}) || strings.TrimSpace(c.Message) != "second" {
			t.Errorf("the commit is %+v, %v", c, err)
		}
		for path, want := range map[string]string{"a b": git(t, dir, "rev-parse", first.String()+":a b"), "c": "", ".": ""} {
			oid, err := g.Blob(first, path)
			if err != nil || want == "" && !oid.IsZero() || want != "" && oid.String() != want {
				t.Errorf("%q is %s, %v", path, oid, err)
			}
		}
		files, err := g.Files(second)
		if err != nil || len(files) != 2 || files[0].Path != "a b" || files[1].Blob.IsZero() {
			t.Errorf("the files are %v, %v", files, err)
		}
		if got := g.Newest(); !slices.Equal(got, []refs.OID{second, first}) {
			t.Errorf("the newest are %v", got)
		}
	}
	changed, err := g.Changed(first, second)
	if err != nil || !slices.EqualFunc(changed, []string{"a b", "c"}, func(c snapshot.Change, path string) bool { return c.Path == path }) {
		t.Errorf("they differ in %v, %v", changed, err)
	}
	mark := ReadMark(repo)
	stash, found := StashOf(g, mark.Stashes[0])
	if !found || mark.Branch != "refs/heads/main" {
		t.Fatalf("there is no stash in %+v", mark)
	}
	blobs, err := stash.Blobs(g)
	if err != nil || len(blobs) != 2 || blobs["new"].IsZero() || blobs["c"].IsZero() {
		t.Errorf("the stash has %v, %v", blobs, err)
	}
	if branch, _ := stash.Branch(g); branch != "main" {
		t.Errorf("it was made on %q", branch)
	}
	if got := MadeOn(t.Context(), repo); got[first] != "main" || got[second] != "main" || len(got) != 2 {
		t.Errorf("commits were made on %v", got)
	}
	nothing := parse(t, strings.Repeat("7", 40))
	if _, err := g.Commit(nothing); err == nil {
		t.Error("a commit that is not there was read")
	}
	if oid, err := g.Blob(nothing, "c"); err != nil || !oid.IsZero() {
		t.Errorf("it has %s, %v", oid, err)
	}
	if _, err := g.Files(nothing); err == nil {
		t.Error("its files were listed")
	}
	if _, err := g.Changed(nothing, first); err == nil {
		t.Error("it was compared")
	}
	if oid, err := g.Blob(refs.OID{}, "c"); err != nil || !oid.IsZero() {
		t.Errorf("no commit has %s, %v", oid, err)
	}
}

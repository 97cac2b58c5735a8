package refs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRefAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, storage := range storages {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			top := repo.WorkTree
			git(t, top, "tag", "-a", "-m", "annotated", "v1")
			git(t, top, "branch", "feature/x")
			git(t, top, "branch", "feature.x")
			git(t, top, "update-ref", "refs/remotes/origin/main", "HEAD")
			git(t, top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
			git(t, top, "commit", "-q", "--allow-empty", "-m", "second")
			linkedDir := filepath.Join(t.TempDir(), "linked")
			git(t, top, "worktree", "add", "-q", "-b", "linked", linkedDir, "HEAD^")
			linked := discover(t, linkedDir)
			git(t, linkedDir, "update-ref", "refs/worktree/mine", "HEAD")
			git(t, linkedDir, "update-ref", "refs/bisect/bad", "HEAD")
			linked.RefFormat = repo.RefFormat
			names := []string{
				"HEAD", "ORIG_HEAD", "refs/heads/main", "refs/heads/linked", "refs/heads/feature/x", "refs/heads/feature.x",
				"refs/heads/feature", "refs/tags/v1", "refs/remotes/origin/HEAD", "refs/worktree/mine", "refs/bisect/bad",
				"refs/heads/none", "refs/heads/main/below", "refs/head", "refs/heads/mai",
			}
			check := func(state string) {
				for _, r := range []*Repo{repo, linked} {
					for _, name := range names {
						want, gitErr := tryGit(r.WorkTree, "rev-parse", "--verify", "--quiet", name)
						got, err := r.ReadRef(name)
						if gitErr != nil && !errors.Is(err, ErrRefMissing) || gitErr == nil && (err != nil || got.String() != want) {
							t.Errorf("%s, %s: git %s, we %s %v", state, name, want, got, err)
						}
					}
				}
			}
			check("loose")
			git(t, top, "pack-refs", "--all", "--prune")
			check("packed")
			git(t, top, "commit", "-q", "--allow-empty", "-m", "third")
			check("loose over packed")
			git(t, top, "branch", "-D", "-q", "feature/x")
			check("deleted")
		})
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for _, storage := range storages {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			dir := repo.WorkTree
			git(t, dir, "symbolic-ref", "HEAD", "refs/heads/trunk/x")
			if oid, branch, err := repo.Head(); err != nil || !oid.IsZero() || branch != "refs/heads/trunk/x" {
				t.Errorf("unborn: %s %s %v", oid, branch, err)
			}
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
			want := git(t, dir, "rev-parse", "HEAD")
			if oid, branch, err := repo.Head(); err != nil || oid.String() != want || branch != "refs/heads/trunk/x" {
				t.Errorf("on a branch: %s %s %v", oid, branch, err)
			}
			git(t, dir, "checkout", "-q", "--detach")
			if oid, branch, err := repo.Head(); err != nil || oid.String() != want || branch != "" {
				t.Errorf("detached: %s %s %v", oid, branch, err)
			}
			git(t, dir, "checkout", "-q", "--orphan", "new")
			if oid, branch, err := repo.Head(); err != nil || !oid.IsZero() || branch != "refs/heads/new" {
				t.Errorf("orphan: %s %s %v", oid, branch, err)
			}
		})
	}
}

func TestOldSymlinkHead(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	head := filepath.Join(repo.GitDir, "HEAD")
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("refs/heads/main", head); err != nil {
		t.Fatal(err)
	}
	if again, err := DiscoverHook(repo.WorkTree); err != nil || !same(again, repo) {
		t.Errorf("%+v %v", again, err)
	}
	if oid, branch, err := repo.Head(); err != nil || oid.IsZero() || branch != "refs/heads/main" {
		t.Errorf("%s %s %v", oid, branch, err)
	}
}

func TestDamagedRefsAreNotMissingRefs(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	id := strings.Repeat("a", 40)
	for name, text := range map[string]string{
		"empty": "", "a newline": "\n", "torn": id[:39], "too long": id + "a", "capitals": strings.ToUpper(id), "words": "hello\n",
		"a symbolic ref to nothing": "ref:\n", "a symbolic ref out of refs": "ref: ../../x\n", "a loop": "ref: refs/heads/broken\n",
	} {
		write(t, repo.refPath("refs/heads/broken"), text)
		if oid, err := repo.ReadRef("refs/heads/broken"); err == nil || errors.Is(err, ErrRefMissing) {
			t.Errorf("%s: %s %v", name, oid, err)
		}
	}
	for name, text := range map[string]string{"with CR LF": id + "\r\n", "without an end": id, "with a remark": id + " x\n"} {
		write(t, repo.refPath("refs/heads/broken"), text)
		if oid, err := repo.ReadRef("refs/heads/broken"); err != nil || oid.String() != id {
			t.Errorf("%s: %s %v", name, oid, err)
		}
	}
	write(t, filepath.Join(repo.CommonDir, "packed-refs"), "zz"+id[2:]+" refs/heads/p\n")
	if _, err := repo.ReadRef("refs/heads/p"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("packed: %v", err)
	}
}

func TestRefNamesAreCheckedAtLeastAsGitChecksThem(t *testing.T) {
	t.Parallel()
	names := []string{
		"refs/heads/main", "refs/heads/a.b", "refs/heads/.a", "refs/heads/a..b", "refs/heads/a.lock", "refs/heads/a.lock/b",
		"refs/heads/a b", "refs/heads/a~", "refs/heads/a^", "refs/heads/a:", "refs/heads/a?", "refs/heads/a*", "refs/heads/a[",
		"refs/heads/a\\b", "refs/heads//a", "refs/heads/a/", "refs/heads/a.", "refs/heads/a@{b", "refs/heads/@", "refs/heads/ü",
		"refs/heads/a\x7f", "refs/heads/a\nb", "refs/heads/a\tb", "/refs/heads/a", "refs/traces/remotes/o/w/events",
	}
	for _, name := range names {
		cmd := exec.Command("git", "check-ref-format", name)
		cmd.Env = gitEnv()
		ok := cmd.Run() == nil
		if err := checkRefName(name); (err == nil) != ok {
			t.Errorf("%q: git %v, we %v", name, ok, err)
		}
	}
}

func BenchmarkReadPackedRef(b *testing.B) {
	repo := newRepo(b)
	var text strings.Builder
	text.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 100000 {
		fmt.Fprintf(&text, "%040x refs/remotes/origin/topic/%06d\n", i+1, i)
	}
	write(b, filepath.Join(repo.CommonDir, "packed-refs"), text.String())
	for b.Loop() {
		if _, err := repo.ReadRef("refs/remotes/origin/topic/099999"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiscover(b *testing.B) {
	repo := newRepo(b)
	for b.Loop() {
		if _, err := DiscoverHook(repo.WorkTree); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLockAndCommit(b *testing.B) {
	repo := newRepo(b)
	head, _, err := repo.Head()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		lock, err := repo.LockRef(EventsRef)
		if err != nil {
			b.Fatal(err)
		}
		if err := lock.Commit(b.Context(), head); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteLoose(b *testing.B) {
	for _, size := range []int{500, 20000, 200000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			repo := newRepo(b)
			line := "func main() { return x + 1 } // more of the same\n"
			content := []byte(strings.Repeat(line, size/len(line)+1))
			i := 0
			for b.Loop() {
				i++
				copy(content, fmt.Sprintf("%020d", i))
				if _, err := repo.WriteLoose(repo.SideObjects(), BlobObject, content); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

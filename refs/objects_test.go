package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

func TestLooseObjectsAreGitsOwn(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 300<<10)
	rng := rand.NewChaCha8([32]byte{1})
	_, _ = rng.Read(noise)
	contents := map[string][]byte{
		"empty":                  nil,
		"small":                  []byte("hello\n"),
		"at the stored limit":    bytes.Repeat([]byte("x"), storedLimit-10),
		"just beyond it":         bytes.Repeat([]byte("y"), storedLimit+1),
		"beyond a deflate block": bytes.Repeat([]byte("line of text\n"), 20000),
		"incompressible":         noise,
	}
	for _, format := range []string{"sha1", "sha256"} {
		repo := newRepo(t, "--object-format="+format)
		for name, content := range contents {
			t.Run(format+" "+name, func(t *testing.T) {
				t.Parallel()
				oid, err := repo.WriteLoose(repo.MainObjects(), BlobObject, content)
				if err != nil {
					t.Fatal(err)
				}
				cmd := repo.Command(context.Background(), "cat-file", "blob", oid.String())
				out, err := cmd.Output()
				if err != nil || !bytes.Equal(out, content) {
					t.Errorf("git reads %d bytes for %d: %v", len(out), len(content), err)
				}
				hashed, err := repo.Git(context.Background(), bytes.NewReader(content), "hash-object", "--stdin")
				if err != nil || strings.TrimSpace(string(hashed)) != oid.String() {
					t.Errorf("git names it %s, we %s", hashed, oid)
				}
				typ, back, err := ReadLoose(repo.MainObjects(), oid)
				if err != nil || typ != BlobObject || !bytes.Equal(back, content) {
					t.Errorf("reading back: %s %d bytes %v", typ, len(back), err)
				}
				info, err := os.Stat(loosePath(repo.MainObjects(), oid))
				if err != nil || info.Mode().Perm()&0o222 != 0 {
					t.Errorf("mode %v %v", info.Mode(), err)
				}
			})
		}
		t.Cleanup(func() { git(t, repo.WorkTree, "fsck", "--full", "--strict"); noLocks(t, repo) })
	}
}

func TestWritingAnObjectThatExists(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	content := []byte("again")
	oid, err := repo.WriteLoose(repo.SideObjects(), BlobObject, content)
	if err != nil {
		t.Fatal(err)
	}
	path := loosePath(repo.SideObjects(), oid)
	stamp := func() os.FileInfo {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	rewrite := func() {
		if again, err := repo.WriteLoose(repo.SideObjects(), BlobObject, content); err != nil || again != oid {
			t.Fatal(again, err)
		}
	}
	recent := time.Now().Add(-time.Hour).Truncate(time.Second)
	age(t, path, recent)
	before := stamp()
	rewrite()
	if after := stamp(); !os.SameFile(before, after) || !after.ModTime().Equal(recent) {
		t.Error("a recent object was touched")
	}
	age(t, path, time.Now().Add(-48*time.Hour))
	rewrite()
	if after := stamp(); !os.SameFile(before, after) || time.Since(after.ModTime()) > time.Hour {
		t.Error("an old object was not freshened")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil { // what a power cut leaves
		t.Fatal(err)
	}
	rewrite()
	if _, back, err := ReadLoose(repo.SideObjects(), oid); err != nil || !bytes.Equal(back, content) {
		t.Errorf("an empty object file was not replaced: %v", err)
	}
}

func TestReadingFindsObjectsWhereverTheyAre(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "co:lon", `"quoted":x`, "new\nli:ne", "sp ace"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := newRepoAt(t, filepath.Join(t.TempDir(), name))
			objects := repo.Objects()
			t.Cleanup(func() {
				if err := objects.Close(); err != nil {
					t.Error(err)
				}
			})
			side, err := repo.WriteLoose(repo.SideObjects(), BlobObject, []byte("loose in the side store"))
			if err != nil {
				t.Fatal(err)
			}
			want(t, objects, side, "loose in the side store")
			if objects.batch != nil {
				t.Error("a process was started for a loose object")
			}
			packed, err := ParseOID(git(t, repo.WorkTree, "rev-parse", "HEAD:file.txt"))
			if err != nil {
				t.Fatal(err)
			}
			want(t, objects, packed, "one\ntwo\n")
			git(t, repo.WorkTree, "repack", "-a", "-d", "-q")
			git(t, repo.WorkTree, "prune-packed")
			if _, _, err := ReadLoose(repo.MainObjects(), packed); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("still loose: %v", err)
			}
			want(t, objects, packed, "one\ntwo\n")

			// The side store packed, as git trace gc will do it.
			cmd := repo.Command(context.Background(), "pack-objects", "-q", filepath.Join(repo.SideObjects(), "pack", "pack"))
			cmd.Env = append(cmd.Env, repo.SideEnv()...)
			cmd.Stdin = strings.NewReader(side.String() + "\n")
			if err := os.MkdirAll(filepath.Join(repo.SideObjects(), "pack"), 0o777); err != nil {
				t.Fatal(err)
			}
			if _, err := runGit(cmd, "pack-objects"); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(loosePath(repo.SideObjects(), side)); err != nil {
				t.Fatal(err)
			}
			want(t, objects, side, "loose in the side store")

			// What git writes with SideEnv lands in the side store and may build on the main one.
			cmd = repo.Command(context.Background(), "hash-object", "-w", "--stdin")
			cmd.Env = append(cmd.Env, repo.SideEnv()...)
			cmd.Stdin = strings.NewReader("by git")
			out, err := runGit(cmd, "hash-object")
			if err != nil {
				t.Fatal(err)
			}
			byGit, err := ParseOID(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := ReadLoose(repo.SideObjects(), byGit); err != nil {
				t.Error(err)
			}
			cmd = repo.Command(context.Background(), "cat-file", "-e", packed.String())
			cmd.Env = append(cmd.Env, repo.SideEnv()...)
			if _, err := runGit(cmd, "cat-file"); err != nil {
				t.Errorf("main store is not behind the side store: %v", err)
			}
			if _, err := tryGit(repo.WorkTree, "cat-file", "-e", byGit.String()); err == nil {
				t.Error("a side object is in the main store")
			}
		})
	}
}

func want(t *testing.T, objects *Objects, oid OID, text string) {
	t.Helper()
	if blob, err := objects.Blob(oid); err != nil || string(blob) != text {
		t.Errorf("%q %v, want %q", blob, err, text)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	odd := "od d\nname"
	write(t, filepath.Join(repo.WorkTree, odd), "odd\n")
	git(t, repo.WorkTree, "add", ".")
	git(t, repo.WorkTree, "commit", "-q", "-m", "second")
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	for rev, typ := range map[string]ObjectType{
		"HEAD": CommitObject, "HEAD^": CommitObject, "HEAD^{tree}": TreeObject, "HEAD:file.txt": BlobObject,
		"HEAD:" + odd: BlobObject, "main": CommitObject, "main@{0}": CommitObject, ":file.txt": BlobObject,
	} {
		oid, got, err := objects.Resolve(rev)
		if err != nil || got != typ || oid.String() != git(t, repo.WorkTree, "rev-parse", rev) {
			t.Errorf("%q: %s %s %v", rev, oid, got, err)
		}
	}
	for _, rev := range []string{
		"nothing", "HEAD:nothing here", "", " ", "-x", "--help", "x missing", "HEAD\nHEAD", "HEAD\x00", "HEAD\r",
		"HEAD:" + strings.Repeat("long/", 5000),
	} {
		if oid, _, err := objects.Resolve(rev); !errors.Is(err, ErrMissing) {
			t.Errorf("%.20q: %s %v", rev, oid, err)
		}
	}
	if oid, _, err := objects.Resolve("HEAD"); err != nil || oid.IsZero() {
		t.Errorf("the session did not survive: %v", err)
	}
	if _, _, content, err := objects.ReadRev("HEAD:file.txt"); err != nil || string(content) != "one\ntwo\n" {
		t.Errorf("%q %v", content, err)
	}
}

func TestReadingIsBounded(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	big := bytes.Repeat([]byte("0123456789abcdef"), (skipLimit+1<<20)/16)
	loose, err := repo.WriteLoose(repo.MainObjects(), BlobObject, big)
	if err != nil {
		t.Fatal(err)
	}
	objects := repo.Objects()
	objects.Max = 1 << 20
	defer func() { _ = objects.Close() }()
	if _, err := objects.Blob(loose); !errors.Is(err, ErrTooLarge) {
		t.Errorf("loose: %v", err)
	}
	write(t, filepath.Join(repo.WorkTree, "big"), string(big))
	git(t, repo.WorkTree, "add", "big")
	git(t, repo.WorkTree, "commit", "-q", "-m", "big")
	git(t, repo.WorkTree, "repack", "-a", "-d", "-q")
	for range 2 { // the second finds the session that the first had to end
		if _, err := objects.Blob(loose); !errors.Is(err, ErrTooLarge) {
			t.Errorf("packed: %v", err)
		}
		if oid, typ, err := objects.Resolve("HEAD:big"); err != nil || typ != BlobObject || oid != loose {
			t.Errorf("resolve: %v", err)
		}
		if _, err := objects.Blob(git2oid(t, repo, "HEAD:file.txt")); err != nil {
			t.Errorf("after it: %v", err)
		}
	}
	objects.Max = 0
	if blob, err := objects.Blob(loose); err != nil || !bytes.Equal(blob, big) {
		t.Errorf("without the bound: %d bytes %v", len(blob), err)
	}
}

func git2oid(t *testing.T, repo *Repo, rev string) OID {
	t.Helper()
	oid, err := ParseOID(git(t, repo.WorkTree, "rev-parse", rev))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

func TestDamagedAndMissingObjects(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	absent := SHA1.Hash(BlobObject, []byte("never written"))
	if _, err := objects.Blob(absent); !errors.Is(err, ErrMissing) {
		t.Errorf("absent: %v", err)
	}
	if _, err := objects.Blob(OID{}); !errors.Is(err, ErrMissing) {
		t.Errorf("no id: %v", err)
	}
	oid := git2oid(t, repo, "HEAD:file.txt")
	path := loosePath(repo.MainObjects(), oid)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"empty": {}, "cut off": raw[:len(raw)/2], "not zlib": []byte("garbage garbage"), "last byte gone": raw[:len(raw)-1],
	} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damaged, 0o444); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadLoose(repo.MainObjects(), oid); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if blob, err := objects.Blob(oid); err == nil && string(blob) != "one\ntwo\n" {
			t.Errorf("%s: read as %q", name, blob)
		}
		if _, err := objects.Commit(git2oid(t, repo, "HEAD")); err != nil {
			t.Errorf("%s: the reader did not survive: %v", name, err)
		}
	}
	// A sound copy behind the damaged one is found.
	if _, err := repo.WriteLoose(repo.SideObjects(), BlobObject, []byte("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	want(t, objects, oid, "one\ntwo\n")
}

func TestClosingAnUnusedOrDeadReader(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	objects := repo.Objects()
	if err := objects.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := objects.Resolve("HEAD"); err != nil {
		t.Fatal(err)
	}
	objects.batch.kill()
	if _, _, err := objects.Resolve("HEAD"); err == nil {
		_, _, _ = objects.Resolve("HEAD") // the first may still have been answered
	}
	if _, _, err := objects.Resolve("HEAD"); err != nil {
		t.Errorf("no new session after the old one died: %v", err)
	}
	begin := time.Now()
	if err := objects.Close(); err != nil {
		t.Error(err)
	}
	if err := objects.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > testenv.Within(5*time.Second) {
		t.Errorf("closing took %v", took)
	}
}

func TestReplacementRefsDoNotChangeWhatIsRead(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	oid := git2oid(t, repo, "HEAD:file.txt")
	git(t, repo.WorkTree, "repack", "-a", "-d", "-q")
	other, err := repo.WriteLoose(repo.MainObjects(), BlobObject, []byte("replaced"))
	if err != nil {
		t.Fatal(err)
	}
	git(t, repo.WorkTree, "replace", oid.String(), other.String())
	if got := git(t, repo.WorkTree, "cat-file", "blob", oid.String()); got != "replaced" {
		t.Fatalf("the replacement does not work: %q", got)
	}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	want(t, objects, oid, "one\ntwo\n")
}

func TestTheTracesOfAnOwnerAreHisAlone(t *testing.T) {
	t.Parallel()
	for shared, want := range map[string]os.FileMode{"umask": 0o700, "group": 0o770} {
		repo := newRepo(t, "--shared="+shared)
		if err := repo.MakeTracesDir(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(repo.TracesDir()); err != nil || info.Mode().Perm()&0o770 != want {
			t.Errorf("%s: %v %v", shared, info.Mode(), err)
		}
	}
}

func TestASharedRepositoryStaysShared(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, "--shared=group")
	oid, err := repo.WriteLoose(repo.SideObjects(), BlobObject, []byte("shared"))
	if err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{
		repo.TracesDir(): 0o070, filepath.Dir(loosePath(repo.SideObjects(), oid)): 0o070, loosePath(repo.SideObjects(), oid): 0o040,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode()&mode != mode {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if err := repo.SwapRef(context.Background(), EventsRef, OID{}, oid); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(repo.refPath(EventsRef)); err != nil || info.Mode()&0o060 != 0o060 {
		t.Errorf("ref: %v %v", info.Mode(), err)
	}
}

func TestWritingWhileGitPrunes(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 40 {
			_, _ = tryGit(repo.WorkTree, "prune", "--expire=now")
		}
	}()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		if _, err := repo.WriteLoose(repo.MainObjects(), BlobObject, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
}

package sidestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

type fixture struct {
	*testing.T
	repo  *refs.Repo
	store *Store
}

func newFixture(t *testing.T, options ...string) *fixture {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a [repository]*")
	out, err := exec.Command("git", append(append([]string{"init", "-q"}, options...), dir)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t, repo, Open(repo)}
}

func (f *fixture) blob(text string) refs.OID {
	f.Helper()
	oid, err := f.repo.WriteLoose(f.repo.SideObjects(), refs.BlobObject, []byte(text))
	if err != nil {
		f.Fatal(err)
	}
	return oid
}

// tree stores a tree with one file for each blob.
func (f *fixture) tree(blobs ...refs.OID) refs.OID {
	f.Helper()
	var entries []refs.TreeEntry
	for i, oid := range blobs {
		entries = append(entries, refs.TreeEntry{Name: fmt.Sprintf("f%04d", i), Mode: 0o100644, OID: oid})
	}
	oid, err := f.repo.WriteLoose(f.repo.SideObjects(), refs.TreeObject, refs.EncodeTree(entries))
	if err != nil {
		f.Fatal(err)
	}
	return oid
}

func (f *fixture) has(oid refs.OID) bool {
	f.Helper()
	objects := f.repo.Objects()
	defer objects.Close()
	_, _, err := objects.Read(oid)
	if err != nil && !errors.Is(err, refs.ErrMissing) {
		f.Fatal(err)
	}
	return err == nil
}

// wantAll reports each object that is not there.
func (f *fixture) wantAll(ids ...refs.OID) {
	f.Helper()
	objects := f.repo.Objects()
	defer objects.Close()
	for _, oid := range ids {
		if _, _, err := objects.Read(oid); err != nil {
			f.Errorf("%s is lost: %v", oid, err)
		}
	}
}

// age makes everything in the store look written some time ago.
func (f *fixture) age(by time.Duration) {
	f.Helper()
	then := time.Now().Add(-by)
	err := filepath.WalkDir(f.repo.SideObjects(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) pack() int {
	f.Helper()
	n, err := f.store.Pack(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	return n
}

func (f *fixture) expire(dry bool, roots ...refs.OID) Expired {
	f.Helper()
	x := Expiry{
		Before: time.Now().Add(-24 * time.Hour), Roots: fixed(roots...), Dry: dry,
		Locks: []string{filepath.Join(f.repo.WorktreeTracesDir(), "lock")},
	}
	out, err := f.store.Expire(context.Background(), x)
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func fixed(roots ...refs.OID) func() ([]refs.OID, error) {
	return func() ([]refs.OID, error) { return roots, nil }
}

func (f *fixture) packs() []refs.Pack {
	f.Helper()
	packs, err := refs.ListPacks(f.repo.SideObjects())
	if err != nil {
		f.Fatal(err)
	}
	return packs
}

func (f *fixture) loose() int {
	f.Helper()
	loose, err := refs.ListLoose(f.repo.SideObjects())
	if err != nil {
		f.Fatal(err)
	}
	return len(loose)
}

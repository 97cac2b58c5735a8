package conformance_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Another implementation of git's object format reads what refs writes, and writes what it reads. (Why refs
// has a codec of its own stands in its doc.go.)
func TestObjectsAreWhatAnotherImplementationReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := &refs.Repo{GitDir: dir, CommonDir: dir}
	blobs := [][]byte{nil, []byte("x"), []byte("line\n"), bytes.Repeat([]byte("a long line that compresses well\n"), 1000)}
	var entries []refs.TreeEntry
	for i, content := range blobs {
		oid, err := repo.WriteLoose(filepath.Join(dir, "objects"), refs.BlobObject, content)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Repeat("f", i+1)
		entries = append(entries, refs.TreeEntry{Name: name, Mode: refs.ModeFile, OID: oid})
		kind, got := readByOther(t, dir, oid)
		if kind != plumbing.BlobObject || !bytes.Equal(got, content) {
			t.Errorf("blob %d reads back as %v of %d bytes, want %d", i, kind, len(got), len(content))
		}
	}
	rawTree := refs.EncodeTree(entries)
	var tree object.Tree
	if err := tree.Decode(memory(plumbing.TreeObject, rawTree)); err != nil {
		t.Fatal(err)
	}
	for i, e := range tree.Entries {
		if e.Name != entries[i].Name || e.Mode != filemode.Regular || e.Hash.String() != entries[i].OID.String() {
			t.Errorf("entry %d is %+v, want %+v", i, e, entries[i])
		}
	}
	who := refs.Signature{Name: "A U Thor", Email: "author@example.com", When: time.Unix(1762077600, 0).In(time.FixedZone("", 5400))}
	commit := refs.Commit{Tree: refs.SHA1.Hash(refs.TreeObject, rawTree), Parents: []refs.OID{entries[0].OID, entries[1].OID}, Author: who, Committer: who, Message: "subject\n\nbody\n"}
	var other object.Commit
	if err := other.Decode(memory(plumbing.CommitObject, refs.EncodeCommit(commit))); err != nil {
		t.Fatal(err)
	}
	if other.TreeHash.String() != commit.Tree.String() || len(other.ParentHashes) != 2 || other.Message != commit.Message ||
		other.Author.Name != who.Name || other.Author.Email != who.Email || !other.Author.When.Equal(who.When) {
		t.Errorf("the commit reads as %+v", other)
	}
	encoded := &plumbing.MemoryObject{}
	if err := other.Encode(encoded); err != nil {
		t.Fatal(err)
	}
	r, err := encoded.Reader()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := refs.DecodeCommit(raw); err != nil || back.Message != commit.Message || back.Tree != commit.Tree || len(back.Parents) != 2 {
		t.Errorf("what it writes reads as %+v (%v)", back, err)
	}
}

func memory(kind plumbing.ObjectType, raw []byte) *plumbing.MemoryObject {
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, _ = o.Write(raw)
	return o
}

func readByOther(t *testing.T, dir string, oid refs.OID) (plumbing.ObjectType, []byte) {
	t.Helper()
	name := oid.String()
	f, err := os.Open(filepath.Join(dir, "objects", name[:2], name[2:]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	kind, _, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Hash().String() != name {
		t.Errorf("object %s hashes to %s", name, r.Hash())
	}
	return kind, raw
}

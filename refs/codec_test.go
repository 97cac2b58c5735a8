package refs

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTreesAreOrderedAsGitOrdersThem(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		repo := newRepo(t, "--object-format="+format)
		blob, err := repo.WriteLoose(repo.MainObjects(), BlobObject, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		dir, err := repo.WriteLoose(repo.MainObjects(), TreeObject, nil)
		if err != nil {
			t.Fatal(err)
		}
		entries := []TreeEntry{
			{"foo", ModeDir, dir}, {"foo.c", ModeFile, blob}, {"foo-bar", ModeExec, blob}, {"foo0", ModeDir, dir},
			{"fo", ModeSymlink, blob}, {"new\nline", ModeFile, blob}, {"ünï", ModeFile, blob}, {"a", ModeDir, dir},
		}
		oid, err := repo.WriteLoose(repo.MainObjects(), TreeObject, EncodeTree(entries))
		if err != nil {
			t.Fatal(err)
		}
		var list strings.Builder
		for _, e := range entries {
			typ := "blob"
			if e.IsDir() {
				typ = "tree"
			}
			list.WriteString(modeText(e.Mode) + " " + typ + " " + e.OID.String() + "\t" + e.Name + "\x00")
		}
		out, err := repo.Git(context.Background(), strings.NewReader(list.String()), "mktree", "-z")
		if err != nil || strings.TrimSpace(string(out)) != oid.String() {
			t.Errorf("%s: git makes it %s, we %s: %v", format, out, oid, err)
		}
		objects := repo.Objects()
		back, err := objects.Tree(oid)
		if err != nil || len(back) != len(entries) || !slices.IsSortedFunc(back, compareEntries) {
			t.Errorf("%s: %v %v", format, back, err)
		}
		if empty, err := objects.Tree(repo.Format.EmptyTree()); err != nil || len(empty) != 0 {
			t.Errorf("%s: the empty tree: %v %v", format, empty, err)
		}
		_ = objects.Close()
		git(t, repo.WorkTree, "fsck", "--full", "--strict")
	}
}

func modeText(mode uint32) string {
	return string(bytes.TrimSuffix(EncodeTree([]TreeEntry{{"x", mode, OID{}}}), []byte(" x\x00")))
}

func TestDecodeTreeRefusesWhatIsNoTree(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("i", 20)
	for name, raw := range map[string]string{
		"no mode":         " x\x00" + id,
		"no name":         "100644 \x00" + id,
		"no space":        "100644",
		"letters in mode": "1006z4 x\x00" + id,
		"cut off id":      "100644 x\x00" + id[:19],
		"no id":           "100644 x",
		"a slash":         "100644 a/b\x00" + id,
		"trailing byte":   "100644 x\x00" + id + "1",
		"huge mode":       "77777777 x\x00" + id,
	} {
		if entries, err := DecodeTree(SHA1, []byte(raw)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v %v", name, entries, err)
		}
	}
}

func TestDecodeCommit(t *testing.T) {
	t.Parallel()
	tree, parent := strings.Repeat("a", 40), strings.Repeat("b", 40)
	head := "tree " + tree + "\nparent " + parent + "\nparent " + tree + "\n"
	ids := "author A U <a@x> 1700000000 -0530\ncommitter  C <> 0 +0000\n"
	tests := map[string]struct {
		raw  string
		want func(c Commit) bool
	}{
		"plain": {head + ids + "\nsubject\n\nbody\n", func(c Commit) bool {
			_, zone := c.Author.When.Zone()
			return len(c.Parents) == 2 && c.Message == "subject\n\nbody\n" && c.Author.Name == "A U" &&
				c.Author.Email == "a@x" && c.Author.When.Unix() == 1700000000 && zone == -(5*3600+30*60) &&
				c.Committer.Name == "C" && c.Committer.Email == "" && c.Committer.When.Unix() == 0
		}},
		"with a signature and an encoding": {head + ids + "encoding latin1\ngpgsig -----BEGIN\n line\n \n -----END\n\nm\n", func(c Commit) bool {
			return c.Message == "m\n"
		}},
		"root without a message": {"tree " + tree + "\n" + ids, func(c Commit) bool {
			return len(c.Parents) == 0 && c.Message == ""
		}},
		"brackets in the name": {"tree " + tree + "\nauthor A <b> C <a@x> 1 +0000\ncommitter x\n\n", func(c Commit) bool {
			return c.Author.Name == "A" && c.Author.When.Unix() == 1 && c.Committer.Name == "x" && c.Committer.When.Unix() == 0
		}},
		"a date beyond reason": {"tree " + tree + "\nauthor A <a> 99999999999999999999 +0000\ncommitter A <a> -5 x\n\n", func(c Commit) bool {
			return c.Author.When.Unix() == 0 && c.Committer.When.Unix() == 0
		}},
	}
	for name, test := range tests {
		c, err := DecodeCommit([]byte(test.raw))
		if err != nil || !test.want(c) {
			t.Errorf("%s: %+v %v", name, c, err)
		}
	}
	for name, raw := range map[string]string{
		"nothing": "", "no tree": "parent " + parent + "\n", "short tree": "tree abc\n" + ids, "no author": head,
		"no committer": head + "author A <a> 1 +0000\n", "bad parent": "tree " + tree + "\nparent x\n" + ids,
	} {
		if _, err := DecodeCommit([]byte(raw)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEncodeCommitIsGitsOwn(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	zone := time.FixedZone("", -(3*3600 + 30*60))
	who := Signature{Name: "Ada <x>\nL", Email: "a>da@example.com", When: time.Unix(1700000000, 5).In(zone)}
	tree, err := repo.WriteLoose(repo.MainObjects(), TreeObject, nil)
	if err != nil {
		t.Fatal(err)
	}
	oid, err := repo.WriteLoose(repo.MainObjects(), CommitObject, EncodeCommit(Commit{Tree: tree, Author: who, Committer: who, Message: "m\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, repo.WorkTree, "log", "-1", "--format=%an|%ae|%ad|%s", "--date=raw", oid.String()); got != "Ada xL|ada@example.com|1700000000 -0330|m" {
		t.Errorf("git reads %q", got)
	}
	before := Signature{Name: "x", When: time.Unix(-100, 0).UTC()}
	if text := string(before.appendTo(nil)); text != "x <> 0 +0000" {
		t.Errorf("before the epoch: %q", text)
	}
}

func TestWriteFileAtomic(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "file")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := WriteFileAtomic(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readSmall(path)
		if err != nil || string(got) != text {
			t.Errorf("%q %v", got, err)
		}
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("left: %q %v", names, err)
	}
	if err := WriteFileAtomic(filepath.Join(path, "below a file"), nil, 0o600); err == nil {
		t.Error("wrote below a file")
	}
}

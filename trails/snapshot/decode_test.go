package snapshot

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestIndexesOfEveryVersionReadAsGitListsThem(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			t.Run(format+" version "+version, func(t *testing.T) {
				t.Parallel()
				b := newSandbox(t, "--object-format="+format)
				for _, name := range []string{"a", "b/c", "b/d/e", "b.x", strings.Repeat("long/", 60) + "x", "é\xff", "z"} {
					b.write(name, name)
				}
				b.chmod("z", 0o755)
				b.symlink("a", "link")
				b.commit("one")
				b.write("later", "l")
				b.git("add", "-N", "later")
				b.git("update-index", "--index-version", version)
				b.git("update-index", "--skip-worktree", "a")
				b.git("update-index", "--assume-unchanged", "b/c")
				idx, err := readIndex(filepath.Join(b.repo.GitDir, "index"), b.repo.Format)
				b.must(err)
				listing, err := parseListing(b.git("ls-files", "-z", "--stage", "-v"))
				b.must(err)
				if len(idx.entries) != len(listing.entries) {
					t.Fatalf("%d entries, want %d", len(idx.entries), len(listing.entries))
				}
				for i, want := range listing.entries {
					got := idx.entries[i]
					if got.path != want.path || got.oid != want.oid || got.mode != want.mode || got.flags&^intentToAdd != want.flags {
						t.Errorf("entry %d: %+v, want %+v", i, got, want)
					}
				}
				if e := idx.find("later"); e == nil || e.flags != intentToAdd {
					t.Errorf("later: %+v", e)
				}
				if !idx.hasBelow("b") || !idx.hasBelow("b/d") || idx.hasBelow("a") || idx.hasBelow("b/c") {
					t.Error("hasBelow is wrong")
				}
				if !idx.hasFolded("B/D/E") || !idx.hasFolded("B/d") || idx.hasFolded("b/x") {
					t.Error("hasFolded is wrong")
				}
			})
		}
	}
}

func TestTheCacheTreeVouchesForStoredTreesOnly(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a/b/c", "1")
	b.write("d/e", "2")
	b.commit("one")
	b.write("d/e", "3")
	b.git("add", "d/e")
	idx, err := readIndex(filepath.Join(b.repo.GitDir, "index"), b.repo.Format)
	b.must(err)
	trees := idx.storedTrees(b.repo.Format)
	for rev, want := range map[string]bool{"HEAD:a": true, "HEAD:a/b": true, "HEAD:d": false, "HEAD:": false} {
		oid, err := refs.ParseOID(b.git("rev-parse", rev))
		b.must(err)
		if _, ok := trees[oid]; ok != want {
			t.Errorf("%s: stored %v, want %v", rev, ok, want)
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	b := newSandbox(f)
	for _, name := range []string{"a", "b/c", "b/d/e"} {
		b.write(name, name)
	}
	b.commit("one")
	for _, version := range []string{"2", "4"} {
		b.git("update-index", "--index-version", version)
		data, err := os.ReadFile(filepath.Join(b.repo.GitDir, "index"))
		b.must(err)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add(encodeIndex([]indexEntry{{path: "x", mode: refs.ModeFile, oid: refs.SHA1.EmptyTree()}}, refs.SHA1))
	f.Fuzz(func(t *testing.T, data []byte) {
		idx, err := parseIndex(data, refs.SHA1)
		if err != nil {
			return
		}
		idx.storedTrees(refs.SHA1)
		for i := range idx.entries {
			idx.find(idx.entries[i].path)
			idx.hasFolded(idx.entries[i].path)
		}
	})
}

func sampleState() (meta, *dir) {
	oid := refs.SHA1.EmptyTree()
	root := &dir{st: fileStat{mtime: 1, mode: typeDir}, tree: oid, flags: dirRacy}
	sub := &dir{path: "sub", parent: root, rules: oid}
	root.subs = []*dir{sub}
	root.entries = []entry{
		{name: "a", st: fileStat{mtime: -5, ctime: 6, size: 7, ino: 8, mode: typeFile}, mode: refs.ModeFile, flags: flagTracked | flagRacy, oid: oid},
		{name: "\xff\n", mode: refs.ModeSymlink, oid: oid},
	}
	sub.entries = []entry{{name: ".gitignore", flags: flagWatch}}
	root.others = []dirName{{"ignored", kindDir}, {"pipe", kindSpecial}}
	m := meta{
		Tree: oid, Settings: settings{FileMode: true, ExcludesFile: "/x"}, Env: "e", Watched: []watched{{Path: "/x", Role: roleExclude, Sum: "s"}},
		Index: indexStamp{Mtime: 1, Sum: "c"}, AttrSum: "t", AttrClass: classGit,
	}
	return m, root
}

func TestTheStateReadsAsItWasWritten(t *testing.T) {
	t.Parallel()
	m, root := sampleState()
	data := encodeState(m, root, refs.SHA1)
	if sum := fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)); sum != "70d2e069" {
		t.Errorf("the stored bytes are others (%s): they need another stateVersion", sum)
	}
	_, gotMeta, gotRoot, err := decodeState(data, refs.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(gotMeta, m) {
		t.Errorf("meta %+v, want %+v", gotMeta, m)
	}
	gotRoot.open()
	if string(encodeState(gotMeta, gotRoot, refs.SHA1)) != string(data) {
		t.Error("a second writing differs")
	}
	if gotRoot.kids()[0].parent != gotRoot || gotRoot.entries[1].name != "\xff\n" || gotRoot.others[1].kind != kindSpecial {
		t.Errorf("directories %+v", gotRoot)
	}
	if _, _, _, err := decodeState(data, refs.SHA256); err == nil {
		t.Error("a state of another object format was taken")
	}
}

func FuzzDecodeState(f *testing.F) {
	m, root := sampleState()
	data := encodeState(m, root, refs.SHA1)
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) {
		data = withSums(data)
		_, m, root, err := decodeState(data, refs.SHA1)
		if err != nil || root == nil {
			return
		}
		encodeState(m, root, refs.SHA1)
	})
}

func FuzzParseListings(f *testing.F) {
	f.Add("H 100644 4b825dc642cb6eb9a060e54bf8d69288fbee4904 0\ta\x00s 100644 4b825dc642cb6eb9a060e54bf8d69288fbee4904 0\tb\x00")
	f.Add(":100644 000000 4b825dc642cb6eb9a060e54bf8d69288fbee4904 0000000000000000000000000000000000000000 D\x00a\x00")
	f.Fuzz(func(t *testing.T, out string) {
		_, _ = parseListing(out)
		_, _ = ParseRawDiff(out)
	})
}

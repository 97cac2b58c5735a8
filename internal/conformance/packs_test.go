package conformance_test

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the check sum of an index
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// repository runs a script of shell commands in a new repository.
func repository(t testing.TB, script string) *refs.Repo {
	t.Helper()
	dir := testenv.Repository(t, script)
	repo, err := refs.DiscoverHook(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// history makes objects of every type that differ from each other a little and a lot.
const history = `
for i in 1 2 3 4 5 6 7 8; do
  seq 1 900 | sed "s/^$i.*/& changed $i/" >long; head -c 70000 /dev/zero | tr '\0' $i >even; mkdir -p d/e; echo $i >d/e/f$i; : >empty
  git add .; git commit -qm "commit $i"; git tag -am "tag $i" t$i
done
`

func TestPacksAreWhatAnotherImplementationReads(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{
		"differences by offset":   "git repack -adfq --depth=50 --window=50",
		"differences by id":       "git -c repack.useDeltaBaseOffset=false repack -adfq --depth=50 --window=50",
		"no differences":          "git repack -adfq --depth=0",
		"not compressed":          "git -c core.compression=0 repack -adFq",
		"offsets of eight bytes":  "git repack -adfq; for p in .git/objects/pack/*.pack; do chmod u+w .git/objects/pack/*; git index-pack --index-version=2,0x40 $p >/dev/null; done",
		"as git gc leaves things": "git gc -q",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := repository(t, history+options)
			packs, err := filepath.Glob(filepath.Join(repo.MainObjects(), "pack", "*.pack"))
			if err != nil || len(packs) != 1 {
				t.Fatalf("%d packs, %v", len(packs), err)
			}
			comparePack(t, strings.TrimSuffix(packs[0], ".pack"))
		})
	}
}

// comparePack reads each object of a pack in both ways.
func comparePack(t *testing.T, path string) {
	t.Helper()
	ours, err := refs.OpenPack(path, refs.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	raw, err := os.ReadFile(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	index := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(bytes.NewReader(raw)).Decode(index); err != nil {
		t.Fatal(err)
	}
	fs := osfs.New(filepath.Dir(path))
	file, err := fs.Open(filepath.Base(path) + ".pack")
	if err != nil {
		t.Fatal(err)
	}
	theirs := packfile.NewPackfile(index, fs, file, 0)
	defer func() { _ = theirs.Close() }()
	list := ours.Index()
	if n, err := index.Count(); err != nil || int(n) != list.Len() || n < 30 {
		t.Fatalf("%d objects, the other counts %d, %v", list.Len(), n, err)
	}
	for i := range list.Len() {
		id, at := list.ID(i), list.Offset(i)
		if offset, err := index.FindOffset(plumbing.NewHash(id.String())); err != nil || offset != at {
			t.Errorf("%s begins at %d, the other says %d, %v", id, at, offset, err)
		}
		kind, content, err := ours.At(at, 1<<30)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		other, err := theirs.GetByOffset(at)
		if err != nil {
			t.Errorf("the other, %s: %v", id, err)
			continue
		}
		if other.Type().String() != string(kind) || !bytes.Equal(contentOf(t, other), content) {
			t.Errorf("%s is %s of %d bytes, the other says %s of %d", id, kind, len(content), other.Type(), other.Size())
		}
	}
}

func contentOf(t *testing.T, o plumbing.EncodedObject) []byte {
	t.Helper()
	r, err := o.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Where both take an index, both say the same of it, and what go-git takes refs takes. What refs takes and go-git
// refuses is an index whose check sum or table of first bytes is wrong: refs reads a few entries of it at every hook,
// finds them by their ids, and leaves the sum over all of it to git-fsck(1).
func TestDamagedPackIndexesAreReadAlike(t *testing.T) {
	t.Parallel()
	raw := packIndex(t)
	random := rand.New(rand.NewPCG(3, 4))
	both := 0
	for range 4000 {
		damaged := bytes.Clone(raw)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] ^= byte(1 << random.IntN(8))
		}
		if random.IntN(8) == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
		}
		if compareIndex(t, damaged) {
			both++
		}
	}
	if both < 200 {
		t.Errorf("%d damaged indexes are taken by both; they say little", both)
	}
}

func FuzzPackIndexes(f *testing.F) {
	f.Add(packIndex(f))
	f.Fuzz(func(t *testing.T, raw []byte) { compareIndex(t, raw) })
}

func packIndex(t testing.TB) []byte {
	t.Helper()
	repo := repository(t, "seq 1 20 >a; git add .; git commit -qm 1; seq 2 22 >a; git commit -qam 2; git repack -adq")
	paths, _ := filepath.Glob(filepath.Join(repo.MainObjects(), "pack", "*.idx"))
	raw, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// compareIndex gives an index its right check sum, and tells whether both take it.
func compareIndex(t *testing.T, raw []byte) bool {
	t.Helper()
	if len(raw) > sha1.Size {
		body := raw[:len(raw)-sha1.Size]
		sum := sha1.Sum(body) //nolint:gosec // see the import
		raw = append(bytes.Clone(body), sum[:]...)
	}
	ours, ourErr := refs.ParsePackIndex(raw, refs.SHA1)
	theirs := idxfile.NewMemoryIndex()
	if idxfile.NewDecoder(bytes.NewReader(raw)).Decode(theirs) != nil {
		return false
	}
	if ourErr != nil {
		t.Fatalf("refused here alone: %v", ourErr)
	}
	entries, err := theirs.Entries()
	if err != nil {
		t.Fatal(err)
	}
	for i := range ours.Len() {
		entry, err := entries.Next()
		if err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
		if entry.Hash.String() != ours.ID(i).String() || int64(entry.Offset) != ours.Offset(i) {
			t.Fatalf("entry %d is %s at %d, the other says %s at %d", i, ours.ID(i), ours.Offset(i), entry.Hash, entry.Offset)
		}
	}
	if _, err := entries.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("the other has more than %d entries", ours.Len())
	}
	return true
}

// Refs that are loose, packed, both, symbolic, gone or nonsense.
func TestRefsAreWhatAnotherImplementationReads(t *testing.T) {
	t.Parallel()
	repo := repository(t, history+`
git branch packed; git branch both; git branch 'odd-ü'; git pack-refs --all
git update-ref refs/heads/both HEAD~2; git update-ref refs/heads/loose HEAD~3; git update-ref refs/heads/a/b/c HEAD~4
git symbolic-ref refs/heads/alias refs/heads/packed; git symbolic-ref refs/heads/dangling refs/heads/none
git update-ref -d refs/heads/packed; git update-ref refs/heads/packed HEAD~5; git symbolic-ref HEAD refs/heads/loose
git update-ref refs/heads/again HEAD; git pack-refs --all; git update-ref -d refs/tags/t3
`)
	theirs := filesystem.NewStorage(osfs.New(repo.GitDir), cache.NewObjectLRUDefault())
	iter, err := theirs.IterReferences()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		seen++
		name := ref.Name().String()
		want := ""
		for range 5 {
			if ref.Type() != plumbing.SymbolicReference {
				break
			}
			next, err := theirs.Reference(ref.Target())
			if err != nil {
				break
			}
			ref = next
		}
		if ref.Type() == plumbing.HashReference {
			want = ref.Hash().String()
		}
		got, err := repo.ReadRef(name)
		if err != nil && !errors.Is(err, refs.ErrRefMissing) {
			return fmt.Errorf("%s: %w", name, err)
		}
		if said := got.String(); got.IsZero() && want != "" || !got.IsZero() && said != want {
			t.Errorf("%s is %s, the other says %q", name, said, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 15 {
		t.Errorf("the other lists %d refs", seen)
	}
	id, branch, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	head, err := theirs.Reference(plumbing.HEAD)
	if err != nil || head.Target().String() != branch {
		t.Fatalf("HEAD is %s, the other says %v, %v", branch, head, err)
	}
	if at, err := theirs.Reference(head.Target()); err != nil || at.Hash().String() != id.String() {
		t.Errorf("HEAD is at %s, the other says %v, %v", id, at, err)
	}
}

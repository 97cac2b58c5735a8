package refs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packedRepo is a repository whose objects all lie in one pack, and what git says of that pack's index.
func packedRepo(t testing.TB, options ...string) (*Repo, Pack, map[string]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = gitEnv()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("git", append(append([]string{"init", "-q"}, options...), dir)...)
	repo, err := DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for i := range 300 {
		oid, err := repo.WriteLoose(repo.MainObjects(), BlobObject, fmt.Append(nil, "content ", i))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&list, oid)
	}
	if _, err := repo.MakePack(context.Background(), repo.MainObjects(), strings.NewReader(list.String())); err != nil {
		t.Fatal(err)
	}
	packs, err := ListPacks(repo.MainObjects())
	if err != nil || len(packs) != 1 {
		t.Fatalf("%d packs: %v", len(packs), err)
	}
	offsets := map[string]string{}
	index, err := os.Open(packs[0].Path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	show := exec.Command("git", "-C", dir, "show-index", "--object-format="+repo.Format.String())
	show.Env, show.Stdin = gitEnv(), index
	out, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		offsets[fields[1]] = fields[0]
	}
	return repo, packs[0], offsets
}

func TestPackIndexSaysWhatGitSays(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, pack, offsets := packedRepo(t, options...)
			x, err := pack.Index(repo.Format)
			if err != nil {
				t.Fatal(err)
			}
			if x.Len() != len(offsets) || x.Len() < 300 {
				t.Fatalf("%d objects, git says %d", x.Len(), len(offsets))
			}
			for i, oid := range x.IDs() {
				if got := fmt.Sprint(x.Offset(i)); got != offsets[oid.String()] {
					t.Errorf("%s at %s, git says %s", oid, got, offsets[oid.String()])
				}
				if at, ok := x.Find(oid); !ok || at != i {
					t.Errorf("%s found at %d (%t), is at %d", oid, at, ok, i)
				}
			}
			if _, ok := x.Find(repo.Format.Hash(BlobObject, []byte("absent"))); ok {
				t.Error("found what is not there")
			}
		})
	}
}

func TestDamagedPackIndexIsRefused(t *testing.T) {
	t.Parallel()
	repo, pack, _ := packedRepo(t)
	raw, err := os.ReadFile(pack.Path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(raw) {
		if x, err := ParsePackIndex(raw[:n], repo.Format); err == nil {
			t.Fatalf("cut to %d bytes it is read, with %d objects", n, x.Len())
		}
	}
}

func FuzzPackIndex(f *testing.F) {
	_, pack, _ := packedRepo(f)
	raw, err := os.ReadFile(pack.Path + ".idx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:len(raw)-48])
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := ParsePackIndex(raw, SHA1)
		if err != nil {
			return
		}
		for i, oid := range x.IDs() {
			_ = x.Offset(i)
			_, _ = x.Find(oid)
		}
	})
}

package refs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRemovedObjectsAreGoneWhereverTheyWere(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	write := func(text string) OID {
		oid, err := repo.WriteLoose(repo.MainObjects(), BlobObject, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	has := func(oid OID) bool {
		objects := repo.Objects()
		defer objects.Close()
		_, _, err := objects.Read(oid)
		return err == nil
	}
	pack := func(ids ...OID) Pack {
		var list strings.Builder
		for _, oid := range ids {
			list.WriteString(oid.String() + "\n")
		}
		p, err := repo.MakePack(t.Context(), repo.MainObjects(), strings.NewReader(list.String()))
		if err != nil {
			t.Fatal(err)
		}
		for _, oid := range ids {
			if _, err := RemoveLoose(repo.MainObjects(), oid); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	loose, other := write("loose"), write("other")
	base := strings.Repeat("a line that makes a delta worth while\n", 200)
	packed, neighbour, unreached := write(base+"packed"), write(base+"neighbour"), write(base+"unreached")
	pack(packed, neighbour, unreached)
	kept := write("kept")
	if err := os.WriteFile(pack(kept).Path+".keep", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	midx := filepath.Join(repo.MainObjects(), "pack", "multi-pack-index")
	if _, err := repo.Git(t.Context(), nil, "multi-pack-index", "write"); err != nil {
		t.Fatal(err)
	}
	removed, left, err := repo.RemoveObjects(t.Context(), repo.MainObjects(), map[OID]bool{loose: true, packed: true, kept: true})
	if err != nil || removed != 2 || len(left) != 1 || left[0] != kept {
		t.Errorf("removed %d, left %v, %v", removed, left, err)
	}
	for oid, want := range map[OID]bool{loose: false, packed: false, other: true, neighbour: true, unreached: true, kept: true} {
		if has(oid) != want {
			t.Errorf("object %s: there %v, want %v", oid, has(oid), want)
		}
	}
	if exists(midx) {
		t.Error("the index of packs still names what is gone")
	}
	if _, err := repo.Git(t.Context(), nil, "fsck", "--full"); err != nil {
		t.Error(err)
	}
}

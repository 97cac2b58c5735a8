package trails

import (
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

func TestALongListIsCutIntoBatchesAndRenamesStayTogether(t *testing.T) {
	t.Parallel()
	blob := func(i int) refs.OID {
		oid, err := refs.ParseOID(fmt.Sprintf("%040x", i+1))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	const files = 3*batchSize + 7
	var changes []snapshot.Change
	for i := range files { // a/ is now called z/
		changes = append(changes, snapshot.Change{Path: fmt.Sprintf("a/%05d", i), Old: blob(i)})
	}
	for i := range files {
		changes = append(changes, snapshot.Change{Path: fmt.Sprintf("m/%05d", i), Old: blob(i), New: blob(files + i)})
	}
	for i := range files {
		changes = append(changes, snapshot.Change{Path: fmt.Sprintf("z/%05d", i), New: blob(i)})
	}
	changes = append(changes, snapshot.Change{Path: "zz", New: blob(-1 + 3*files)})
	in := map[string]int{}
	for n, batch := range batches(changes) {
		if len(batch) == 0 || len(batch) > batchSize+1 {
			t.Errorf("batch %d has %d changes", n, len(batch))
		}
		for _, c := range batch {
			if _, twice := in[c.Path]; twice {
				t.Errorf("%s twice", c.Path)
			}
			in[c.Path] = n
		}
	}
	if len(in) != len(changes) {
		t.Errorf("%d of %d changes", len(in), len(changes))
	}
	for i := range files {
		if in[fmt.Sprintf("a/%05d", i)] != in[fmt.Sprintf("z/%05d", i)] {
			t.Fatalf("file %d is parted from its old name", i)
		}
	}
	if whole := batches(changes[:batchSize]); len(whole) != 1 || len(whole[0]) != batchSize {
		t.Errorf("%d batches of %d changes", len(whole), batchSize)
	}
}

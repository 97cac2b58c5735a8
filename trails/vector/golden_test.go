package vector_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// golden is one case of testdata/vectors/ownership; its README explains the form. A case has one change, or several
// that belong together.
type golden struct {
	Name  string
	Actor string
	goldenChange
	Files []goldenChange
}

type goldenChange struct {
	Path       string
	Old        string
	OldOwners  []string `json:"old_owners"`
	New        string
	WantOwners []string `json:"want_owners"`
}

func TestOwnershipVectors(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/vectors/ownership/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []golden
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(file, err)
		}
		for _, c := range cases {
			t.Run(filepath.Base(file)+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				c.check(t)
			})
		}
	}
}

func (c golden) check(t *testing.T) {
	files := c.Files
	if len(files) == 0 {
		files = []goldenChange{c.goldenChange}
	}
	var changes []*vector.Change
	for _, f := range files {
		old := vector.Content{Lines: linediff.Split([]byte(f.Old)), Owners: owners(f.OldOwners)}
		if old.Owners.Len() != len(old.Lines) {
			t.Fatalf("%s: %d owners for %d old lines", f.Path, old.Owners.Len(), len(old.Lines))
		}
		changes = append(changes, vector.Compare(old, linediff.Split([]byte(f.New))))
	}
	vector.Moves(changes...)
	for i, f := range files {
		got := changes[i].Resolve(vector.By(vector.ParseOwner(c.Actor))).Vector
		if want := owners(f.WantOwners); !got.Equal(want) {
			t.Errorf("%s\nold %s\ngot  %s\nwant %s\nnew text\n%s", f.Path, owners(f.OldOwners), got, want, f.New)
		}
	}
}

func owners(list []string) vector.Vector {
	var b vector.Builder
	for _, owner := range list {
		b.Add(vector.ParseOwner(owner), 1)
	}
	return b.Vector()
}

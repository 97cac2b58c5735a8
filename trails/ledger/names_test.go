package ledger

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

func TestOtherNamesOfAPath(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		links string // pairs of names, a letter each, in the order in which they became known
		path  string
		want  string
	}{
		"a path that has one name":           {"ab", "x", ""},
		"the new name leads to the old":      {"ab", "b", "a"},
		"and the old to the new":             {"ab", "a", "b"},
		"a name that came twice counts once": {"ab ab ba", "a", "b"},
		"the last one is the nearest":        {"ab ac", "a", "cb"},
		"names of names are further away":    {"ab bc cd ae", "a", "ebcd"},
		"a ring ends":                        {"ab bc ca", "a", "cb"},
		"a path is no other name of its own": {"aa", "a", ""},
		"eight are enough":                   {"ab bc cd de ef fg gh hi ij", "a", "bcdefghi"},
		"also where one path has all":        {"ab ac ad ae af ag ah ai aj", "a", "jihgfedc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := NewKnownIn(t.TempDir())
			for pair := range slices.Chunk([]byte(tt.links), 3) {
				if err := k.Link(string(pair[0]), string(pair[1])); err != nil {
					t.Fatal(err)
				}
			}
			for process, k := range map[string]*Known{"this process": k, "the next": NewKnownIn(k.dir)} {
				got := ""
				for _, name := range k.Names(tt.path) {
					got += name
				}
				if got != tt.want {
					t.Errorf("%s knows %q, want %q", process, got, tt.want)
				}
			}
		})
	}
}

// A name may hold a line feed; a line that a killed process left half written is no name, and hides none.
func TestNamesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	k := NewKnownIn(t.TempDir())
	strange := "a\n\"b\"\xff"
	if err := k.Link("path", strange); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(k.namesFile("path"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.namesFile("path"), append(raw, []byte(strconv.Quote("half of it")[:5])...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NewKnownIn(k.dir).Link("path", "next"); err != nil {
		t.Fatal(err)
	}
	if got := NewKnownIn(k.dir).Names("path"); !slices.Equal(got, []string{"next", strange}) {
		t.Errorf("names are %q", got)
	}
	if err := os.WriteFile(k.dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NewKnownIn(k.dir+"/file").Link("path", "other"); err == nil {
		t.Error("a name that cannot be written is lost in silence")
	}
}

// What a reader finds out is gone with it.
func TestNamesOfAFrozenStoreAreNotWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := NewKnownIn(dir).Frozen()
	if err := k.Link("a", "b"); err != nil {
		t.Fatal(err)
	}
	if got := k.Names("a"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("names are %q", got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

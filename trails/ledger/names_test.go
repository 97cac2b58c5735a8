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
				k.Link(string(pair[0]), string(pair[1]))
			}
			save(t, k)
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
	k.Link("path", strange)
	save(t, k)
	raw, err := os.ReadFile(k.namesFile("path"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.namesFile("path"), append(raw, []byte(strconv.Quote("half of it")[:5])...), 0o600); err != nil {
		t.Fatal(err)
	}
	again := NewKnownIn(k.dir)
	again.Link("path", "next")
	save(t, again)
	if got := NewKnownIn(k.dir).Names("path"); !slices.Equal(got, []string{"next", strange}) {
		t.Errorf("names are %q", got)
	}
	if err := os.WriteFile(k.dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k = NewKnownIn(k.dir + "/file")
	k.Link("path", "other")
	if err := k.Save(); err == nil {
		t.Error("a name that cannot be written is lost in silence")
	}
}

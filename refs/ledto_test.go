package refs

import (
	"strings"
	"testing"
)

// Tips lead to their ancestors, as git says. Where they are named by their ids, and a short way goes back to all that is
// asked, git is not asked.
func TestWhatTipsLeadTo(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	made := func(args ...string) OID {
		t.Helper()
		id, err := ParseOID(git(t, repo.WorkTree, args...))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	tree := made("write-tree")
	commit := func(message string, parents ...OID) OID {
		args := []string{"commit-tree", "-m", message, tree.String()}
		for _, p := range parents {
			args = append(args, "-p", p.String())
		}
		return made(args...)
	}
	first := commit("first")
	left, right := commit("left", first), commit("right", first)
	merge := commit("merge", left, right)
	beside := commit("beside", left)
	gone, err := ParseOID(strings.Repeat("ab", len(first.String())/2))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		tips   []OID
		asked  []OID
		led    []bool
		nearby bool
	}{
		"a chain":                     {[]OID{merge}, []OID{first, left}, []bool{true, true}, true},
		"the second parent":           {[]OID{merge}, []OID{right}, []bool{true}, true},
		"the tip itself":              {[]OID{merge}, []OID{merge}, []bool{true}, true},
		"one that is beside":          {[]OID{merge}, []OID{first, beside}, []bool{true, false}, false},
		"one that comes after":        {[]OID{left}, []OID{merge}, []bool{false}, false},
		"two tips":                    {[]OID{right, beside}, []OID{left, right}, []bool{true, true}, true},
		"a tip that is not here":      {[]OID{gone, left}, []OID{first}, []bool{true}, true},
		"no tip that is here":         {[]OID{gone}, []OID{first}, []bool{false}, false},
		"a tree and a commit as tips": {[]OID{tree, left}, []OID{first}, []bool{true}, true},
	} {
		var tips []string
		for _, id := range tt.tips {
			tips = append(tips, id.String())
		}
		if name != "a tree and a commit as tips" { // git takes no tree there
			if got, err := repo.LedTo(t.Context(), tt.asked, tips...); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				for i, id := range tt.asked {
					if got[id] != tt.led[i] {
						t.Errorf("%s: %d is %v", name, i, got[id])
					}
				}
			}
		}
		if got := repo.nearTips(tt.asked, tips); got != tt.nearby {
			t.Errorf("%s: without git: %v", name, got)
		}
	}
	if got, err := repo.LedTo(t.Context(), []OID{gone}, merge.String()); err != nil || len(got) != 0 {
		t.Errorf("of one that is not here: %v, %v", got, err)
	}
}

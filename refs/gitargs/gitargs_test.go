package gitargs

import "testing"

type named struct {
	letter byte
	word   string
}

func (n named) Names() (byte, string) { return n.letter, n.word }

func TestOptionsAreFoundAsGitFindsThem(t *testing.T) {
	t.Parallel()
	table := []named{{'s', "stat-count"}, {0, "stat"}, {'z', ""}, {0, "note"}}
	for name, want := range map[string]struct {
		word  string
		unset bool
		ok    bool
	}{
		"stat":    {"stat", false, true}, // whole, though another one begins so
		"stat-c":  {"stat-count", false, true},
		"no-stat": {"stat", true, true},
		"no-s":    {"", false, false}, // two begin so
		"sta":     {"", false, false},
		"not":     {"note", false, true},
		"no-n":    {"note", true, true},
		"other":   {"", false, false},
	} {
		found, unset, ok := Long(table, name)
		if ok != want.ok || ok && (found.word != want.word || unset != want.unset) {
			t.Errorf("--%s is %v, %v, %v", name, found, unset, ok)
		}
	}
	if found, ok := Short(table, 's'); !ok || found.word != "stat-count" {
		t.Errorf("-s is %v", found)
	}
	if _, ok := Short(table, 'q'); ok {
		t.Error("-q is found")
	}
}

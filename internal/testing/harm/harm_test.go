package harm

import (
	"testing"
)

// The tables are as long as the documents say.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	for name, got := range map[string][2]int{
		"markup": {len(Markup()), 60}, "sequences": {len(Sequences()), 313}, "paths": {len(Paths("/x")), 490}, "revisions": {len(Revisions()), 60},
	} {
		if got[0] < got[1] {
			t.Errorf("%d %s, not %d", got[0], name, got[1])
		}
	}
}

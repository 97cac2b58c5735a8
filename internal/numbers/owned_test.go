package numbers

import (
	"slices"
	"testing"
)

// What stands beside each other adds up, and what is older than the recording is not counted as unknown.
func TestOwnedLinesByPart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines  Owned
		text   string
		shares []string
	}{
		"all that there may be":    {Owned{3, 1, 6, 4}, "3 by agents, 1 by people, 4 older, 2 unknown", []string{"30 %", "10 %", "40 %", "20 %"}},
		"nothing is older":         {Owned{3, 1, 0, 0}, "3 by agents, 1 by people, 0 unknown", []string{"75 %", "25 %", "0 %"}},
		"all that is not is older": {Owned{1, 1, 98, 98}, "1 by agents, 1 by people, 98 older", []string{"1 %", "1 %", "98 %"}},
		"nothing":                  {Owned{}, "0 by agents, 0 by people, 0 unknown", nil},
	} {
		if got := tt.lines.String(); got != tt.text {
			t.Errorf("%s: %q, want %q", name, got, tt.text)
		}
		var shares []string
		sum := 0
		for _, s := range tt.lines.Shares() {
			shares = append(shares, s.Percent)
			sum += s.Lines
		}
		if !slices.Equal(shares, tt.shares) || sum != tt.lines.Sum() && shares != nil {
			t.Errorf("%s: %v of %d, want %v", name, shares, sum, tt.shares)
		}
	}
	whole := Owned{AI: 9, Human: 9, Unknown: 9, Older: 4}
	if got := (Owned{AI: 1, Unknown: 2, Older: 2}).Plus(Owned{Human: 5}).By(whole.Parts()); !slices.Equal(got, []int{1, 5, 2, 0}) {
		t.Errorf("by the parts of a whole: %v", got)
	}
}

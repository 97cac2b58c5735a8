package backfill

import (
	"strings"
	"testing"
)

func TestAnEditIsMadeAgainOnWhatItFits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		edit   Edit
		before string
		want   string
		fits   bool
	}{
		"a replacement":          {Edit{Replaces: []Replacement{{Old: "two", New: "2\n2b"}}}, "one\ntwo\n", "one\n2\n2b\n", true},
		"what is not there":      {Edit{Replaces: []Replacement{{Old: "six", New: "6"}}}, "one\ntwo\n", "", false},
		"a whole file":           {Edit{Whole: []string{"a", "b"}}, "one\n", "a\nb\n", true},
		"hunks":                  {Edit{Hunks: []Hunk{{At: 1, Removed: 1, Lines: []string{"1"}}, {At: 3, Lines: []string{"3"}}}}, "one\ntwo\n", "1\ntwo\n3\n", true},
		"a hunk beyond the end":  {Edit{Hunks: []Hunk{{At: 9, Removed: 1}}}, "one\n", "", false},
		"a hunk without a place": {Edit{Hunks: []Hunk{{Lines: []string{"x"}}}}, "one\n", "", false},
		"a command":              {Edit{Rewrite: func(b []byte) []byte { return []byte(strings.ToUpper(string(b))) }}, "one\n", "ONE\n", true},
		"nothing":                {Edit{}, "one\n", "", false},
	} {
		got, fits := tt.edit.Make([]byte(tt.before))
		if fits != tt.fits || fits && string(got) != tt.want {
			t.Errorf("%s: %q, %v", name, got, fits)
		}
	}
}

func TestTheLinesOfAnEditAreWhatItSaysThatItWrote(t *testing.T) {
	t.Parallel()
	e := Edit{Replaces: []Replacement{{Old: "kept\nold", New: "kept\nnew"}}, Hunks: []Hunk{{Lines: []string{"h"}}}, Whole: []string{"w"}}
	if got := strings.Join(e.Lines(), " "); got != "new h w" {
		t.Errorf("%q", got)
	}
}

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

func TestAWholeFileWithHunksTellsWhichOfItsLinesAreNew(t *testing.T) {
	t.Parallel()
	whole := []string{"new", "kept", "2", "2b", "kept too"}
	for name, tt := range map[string]struct {
		edit Edit
		want string
	}{
		"two hunks":       {Edit{Whole: whole, Hunks: []Hunk{{At: 1, Lines: []string{"new"}}, {At: 2, Removed: 1, Lines: []string{"2", "2b"}}}}, "new 2 2b"},
		"a new file":      {Edit{Whole: whole, Hunks: []Hunk{{At: 1, Removed: 1 << 29, Lines: whole}}}, strings.Join(whole, " ")},
		"other lines":     {Edit{Whole: whole, Hunks: []Hunk{{At: 3, Lines: []string{"3"}}}}, "-"},
		"behind its end":  {Edit{Whole: whole, Hunks: []Hunk{{At: 5, Lines: []string{"kept too", "more"}}}}, "-"},
		"without a place": {Edit{Whole: whole, Hunks: []Hunk{{Lines: []string{"new"}}}}, "-"},
		"no hunks":        {Edit{Whole: whole}, "-"},
		"no whole file":   {Edit{Hunks: []Hunk{{At: 1, Lines: []string{"new"}}}}, "-"},
	} {
		got := "-"
		if wrote := tt.edit.Wrote(); wrote != nil {
			var lines []string
			for i, line := range whole {
				if wrote(i) {
					lines = append(lines, line)
				}
			}
			got = strings.Join(lines, " ")
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

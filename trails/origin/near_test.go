package origin

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

func TestConflictMarkersAreNobodys(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return linediff.Split([]byte(text)) }
	conflict := "kept\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"
	tests := map[string]struct {
		text string
		from []vector.Origin
		want string // for each line: the source, or m for a marker
	}{
		"around the sides of a conflict":                {conflict, []vector.Origin{{Start: 0, Count: 1, Source: 2}, {Start: 1, Count: 5, Source: -1}}, "2 m -1 m -1 m"},
		"a marker that a source has is its own":         {conflict, []vector.Origin{{Start: 0, Count: 6, Source: 1}}, "1 1 1 1 1 1"},
		"without a beginning there is no conflict":      {"=======\ntheirs\n>>>>>>> topic\n", []vector.Origin{{Start: 0, Count: 3, Source: -1}}, "-1 -1 -1"},
		"a beginning needs the space after seven signs": {"<<<<<<<\nours\n=======\n", []vector.Origin{{Start: 0, Count: 3, Source: -1}}, "-1 -1 -1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			at := 0
			for _, o := range markers(lines(tt.text), tt.from) {
				if o.Start != at {
					t.Errorf("run begins at %d, want %d", o.Start, at)
				}
				at += o.Count
				for range o.Count {
					if o.Source == 0 && o.Owner == vector.Unknown {
						got = append(got, "m")
					} else {
						got = append(got, fmt.Sprint(o.Source))
					}
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("sources are %v, want %s", got, tt.want)
			}
		})
	}
}

func TestWhichContentIsNearer(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return linediff.Split([]byte(text)) }
	tests := map[string]struct {
		text, a, b string
		want       bool
	}{
		"a alone is equal":                    {"one\ntwo\n", "one\ntwo\n", "one\n", true},
		"b alone is equal":                    {"one\ntwo\n", "one\n", "one\ntwo\n", false},
		"it is all the same: a":               {"one\n", "x\n", "y\n", true},
		"the longer line weighs more":         {"a long line\nx\n", "a long line\n", "x\n", true},
		"two short lines, one long one":       {"1\n2\nlonger\n", "1\n2\n", "longer\n", false},
		"an empty line counts one":            {"one\n\n", "one\n", "one\n\n", false},
		"white space and signs do not count":  {"f( 'o', n )\n", "f(\"o\",\n  n);\n", "f( 'o', n )\n", true},
		"what a formatter changed is there":   {"say(\"one\")\nsay(\"two\")\n", "say('one')\nsay('two')\n", "say('one')\n", true},
		"what has to go counts as what comes": {"one\n", "one\nlonger line\n", "one\nx\n", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Nearer(lines(tt.text), lines(tt.a), lines(tt.b)); got != tt.want {
				t.Errorf("a is nearer: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhatAChangeTakesAwayAndPutsIn(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return linediff.Split([]byte(text)) }
	for _, tt := range []struct{ from, to, removed, added string }{
		{"a\nb\nc\n", "a\nx\nc\ny\n", "b", "x y"},
		{"a\nb\n", "a\nb\n", "", ""},
		{"a\nb\n", "", "a b", ""},
		{"a\n", " a\n", "a", " a"}, // white space counts
	} {
		c := changeOf(lines(tt.from), lines(tt.to))
		got := string(bytes.Join(c.removed, []byte(" "))) + "/" + string(bytes.Join(c.added, []byte(" ")))
		if got != tt.removed+"/"+tt.added {
			t.Errorf("%q to %q is %s, want %s/%s", tt.from, tt.to, got, tt.removed, tt.added)
		}
	}
	if !holdsAll(lines("a\nb\n"), lines("b\na\n")) || holdsAll(lines("a\nb\n"), lines("a\nc\n")) || !holdsAll(nil, nil) {
		t.Error("whether all lines are there is not told")
	}
}

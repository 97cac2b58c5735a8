package origin

import (
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

// A stash of some changes alone has a line like any other of them elsewhere.
func TestWhetherAStashTookAllThatWasNew(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return linediff.Split([]byte(text)) }
	for name, tt := range map[string]struct {
		base, content, stash string
		want                 bool
	}{
		"the same":                         {"a\nb\n", "a\nnew\nb\n", "a\nnew\nb\n", true},
		"and more, further off":            {"a\nb\nc\n", "a\nnew\nb\nc\n", "a\nnew\nb\nmore\nc\n", true},
		"not the new line":                 {"a\nb\n", "a\nnew\nb\n", "a\nb\n", false},
		"the new line below another one":   {"a\nb\n", "a\nnew\nb\n", "a\nother\nnew\nb\n", false},
		"the new line above another one":   {"a\nb\n", "a\nnew\nb\n", "a\nnew\nother\nb\n", false},
		"nothing was new":                  {"a\nb\n", "a\nb\n", "a\nb\nc\n", false},
		"at the end of both":               {"a\n", "a\nnew\n", "a\nnew\n", true},
		"at the end, but not of the other": {"a\n", "a\nnew\n", "a\nnew\nmore\n", false},
		"at the beginning of both":         {"a\n", "new\na\n", "new\na\n", true},
		"at the beginning, but not there":  {"a\n", "new\na\n", "more\nnew\na\n", false},
		"one of two":                       {"a\nb\nc\n", "a\none\nb\ntwo\nc\n", "a\none\nb\nc\n", false},
	} {
		if got := tookAll(lines(tt.base), lines(tt.content), lines(tt.stash)); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

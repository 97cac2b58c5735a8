package vector

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

func linesOf(text string) [][]byte {
	if text == "" {
		return nil
	}
	return bytes.Split([]byte(text), []byte(" "))
}

func TestHowFarARangeSlides(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines       string
		r, lim, out linediff.Range
	}{
		"nowhere":                  {"a b c", linediff.Range{Start: 1, End: 2}, linediff.Range{Start: 0, End: 3}, linediff.Range{Start: 1, End: 2}},
		"up":                       {"b b c", linediff.Range{Start: 1, End: 2}, linediff.Range{Start: 0, End: 3}, linediff.Range{Start: 0, End: 2}},
		"down":                     {"a b b", linediff.Range{Start: 1, End: 2}, linediff.Range{Start: 0, End: 3}, linediff.Range{Start: 1, End: 3}},
		"both ways, to the limit":  {"b b b b b", linediff.Range{Start: 2, End: 3}, linediff.Range{Start: 1, End: 4}, linediff.Range{Start: 1, End: 4}},
		"a range of two, a period": {"x y x y x y z", linediff.Range{Start: 2, End: 4}, linediff.Range{Start: 0, End: 7}, linediff.Range{Start: 0, End: 6}},
	} {
		if got := slideRoom(linesOf(tt.lines), tt.r, tt.lim); got != tt.out {
			t.Errorf("%s: %v, want %v", name, got, tt.out)
		}
	}
}

func TestWhereARangeStandsBest(t *testing.T) {
	t.Parallel()
	room := linediff.Range{Start: 0, End: 7}
	for name, tt := range map[string]struct {
		values string // by the line at which it begins
		want   int
	}{
		"where it stands, if nothing is better": {"1111111", 3}, "the better place above": {"0200000", 1}, "the better place below": {"0000020", 5},
		"the nearer of two that are equal": {"2000200", 4}, "the upper of two as near": {"0020200", 2}, "the best, though farther": {"0010003", 6},
		"the first place of all": {"9000000", 0}, "the last one": {"0000009", 6},
	} {
		got := bestSlide(linediff.Range{Start: 3, End: 4}, room, func(r linediff.Range) int { return int(tt.values[r.Start] - '0') })
		if got != (linediff.Range{Start: tt.want, End: tt.want + 1}) {
			t.Errorf("%s: %v, want %d", name, got, tt.want)
		}
	}
}

// Of braces and the like those are the same that stand as far from the beginning of a gap, or from its end, as they
// stood.
func TestTrivialLinesArePairedFromTheEdgesOfAGap(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, want string }{
		"from the beginning":             {"{ ( [", "{ ( x", "0-0 1-1"},
		"from the end":                   {"{ ( [", "x ( [", "1-1 2-2"},
		"of gaps of two lengths":         {"{ ( [ ]", "{ ]", "0-0 3-1"},
		"each once":                      {"}", "} }", "0-0"},
		"each once, the other way":       {"} }", "}", "0-0"},
		"equal, but not as far from any": {"( {", "{ [ ; ;", ""},
		"a line with words is none":      {"word", "word", ""},
		"the outermost first":            {"{ ; }", "{ ; ; }", "0-0 1-1 2-3"},
		"none of none":                   {"", "}", ""},
	} {
		var got []string
		pairTrivial(linesOf(tt.old), linesOf(tt.new), func(i, j int) { got = append(got, fmt.Sprintf("%d-%d", i, j)) })
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestATextIsCutWhereATokenEnds(t *testing.T) {
	t.Parallel()
	const whole = windowSize + windowBack
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, test := range map[string]struct {
		text string
		want []int // beginnings and ends
	}{
		"nothing":              {"", nil},
		"a byte":               {"x", []int{0, 1}},
		"one window":           {x(whole), []int{0, whole}},
		"a token, a byte more": {x(whole + 1), []int{0, whole + 1}},
		"words": {strings.Repeat("1234567 ", whole/8+1),
			[]int{0, windowSize + 7, windowSize - windowBack, whole + 8}},
		"lines": {strings.Repeat("1234567\n", whole/8+1),
			[]int{0, windowSize + 7, windowSize - windowBack, whole + 8}},
		"columns": {strings.Repeat("1234567\t", whole/8+1),
			[]int{0, windowSize + 7, windowSize - windowBack, whole + 8}},
		"a token that ends at the window's end": {x(windowSize) + " " + x(windowBack),
			[]int{0, windowSize, windowSize - windowBack, whole + 1}},
		"a token beyond every bound": {x(windowSize + longestToken + 1000),
			[]int{0, windowSize + longestToken, windowSize + longestToken - windowBack - longestToken, windowSize + longestToken + 1000}},
	} {
		var got []int
		for from, to := range windows(test.text) {
			if got = append(got, from, to); len(got) > 10 {
				break
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestTokensBeginAndEndAtSpace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text       string
		at         int
		start, end int
	}{
		{"ab cd ef", 4, 3, 5}, {"ab\ncd\tef", 4, 3, 5}, {"ab cd ef", 5, 3, 5}, {"ab cd ef", 3, 3, 5}, {"abcd", 2, 0, 4}, {"abcd", 0, 0, 4}, {" ab", 2, 1, 3}, {"ab ", 1, 0, 2},
		{strings.Repeat("x", 40_000), 20_000, 20_000 - longestToken, 20_000 + longestToken},
	} {
		if start, end := startOfToken(test.text, test.at), endOfToken(test.text, test.at); start != test.start || end != test.end {
			t.Errorf("%.10q at %d: %d to %d", test.text, test.at, start, end)
		}
	}
}

package redact

import (
	"iter"
	"strings"
)

// Sizes of the text for one search of a finder, in bytes.
const (
	windowSize = 16 << 10
	// the least overlap with the previous window: a rule may need text before a secret
	windowBack   = 512
	longestToken = 16 << 10 // the greatest extension of a window for a token at its end
)

// windows cuts a text into overlapping windows and yields the start and end of each. Every token of up to longestToken
// bytes is whole in at least one of them.
func windows(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; from < len(text); {
			to := len(text)
			if to-from > windowSize+windowBack {
				to = endOfToken(text, from+windowSize)
			}
			if !yield(from, to) || to == len(text) {
				return
			}
			next := startOfToken(text, to-windowBack)
			if next <= from { // a token longer than a window: its pieces overlap
				next = to - windowBack
			}
			from = next
		}
	}
}

func endOfToken(text string, at int) int {
	rest := text[at:min(len(text), at+longestToken)]
	if i := strings.IndexAny(rest, " \n\t"); i >= 0 {
		return at + i
	}
	return at + len(rest)
}

func startOfToken(text string, at int) int {
	from := max(0, at-longestToken)
	if i := strings.LastIndexAny(text[from:at], " \n\t"); i >= 0 {
		return from + i + 1
	}
	return from
}

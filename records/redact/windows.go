package redact

import (
	"iter"
	"strings"
)

// Sizes of the text for one search of a finder, in bytes.
const (
	windowSize = 16 << 10
	// the part of the window before that begins the next one, at least: a rule may want text before a secret
	windowBack   = 512
	longestToken = 16 << 10 // how far a window is extended to hold a token that it would cut
)

// windows cuts a text into overlapping windows, each given by its beginning and its end. One of them contains any token
// of up to longestToken bytes as a whole.
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
			if next <= from { // one token longer than a window: the pieces overlap
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

package search

import (
	"strings"
	"unicode/utf8"
)

// snippetSize is the number of bytes of a text that are shown around a hit.
const snippetSize = 220

// snippet returns the part of a text with the exact query, otherwise the part with most of its words. White space
// becomes a single space.
func snippet(body, text string, wanted []string) string {
	lower := strings.ToLower(body)
	if len(lower) != len(body) { // a lower-case letter is longer or shorter, so positions would differ
		lower = body
	}
	at := strings.Index(lower, strings.ToLower(text))
	if at < 0 {
		at = bestPlace(lower, wanted)
	}
	from := max(0, at-snippetSize/4)
	to := min(len(body), from+snippetSize)
	from = max(0, min(from, to-snippetSize))
	for from > 0 && !utf8.RuneStart(body[from]) {
		from--
	}
	for to < len(body) && !utf8.RuneStart(body[to]) {
		to++
	}
	if from > 0 { // do not start in the middle of a word
		if i := strings.IndexAny(body[from:min(to, from+30)], " \n\t"); i >= 0 && from+i < at {
			from += i + 1
		}
	}
	out := strings.Join(strings.Fields(body[from:to]), " ")
	if from > 0 {
		out = "…" + out
	}
	if to < len(body) {
		out += "…"
	}
	return out
}

// bestPlace returns the first position after which a snippet contains most of the words.
func bestPlace(lower string, wanted []string) int {
	best, most := 0, 0
	for _, word := range wanted {
		for from := 0; ; {
			i := strings.Index(lower[from:], word)
			if i < 0 {
				break
			}
			at := from + i
			window := lower[at:min(len(lower), at+snippetSize*3/4)]
			n := 0
			for _, other := range wanted {
				if strings.Contains(window, other) {
					n++
				}
			}
			if n > most {
				best, most = at, n
			}
			if most == len(wanted) {
				return best
			}
			from = at + len(word)
		}
	}
	return best
}

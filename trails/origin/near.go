package origin

import (
	"bytes"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Nearer reports whether a content is closer to a than to b, that is, whether the words to delete and to insert have
// fewer bytes. Words count by their letters, so a formatter makes no difference. On a tie, a is nearer. A single common
// line is weak evidence: it may be a brace. For example: a stash has an agent's 2 lines and HEAD has 40 other lines. A
// file with 39 of the 40 is nearer to HEAD's.
func Nearer(lines, a, b [][]byte) bool {
	to := wordsOf(lines)
	return distance(wordsOf(a), to) <= distance(wordsOf(b), to)
}

// muchNearer reports whether a content is closer to a than to b by more than a short line.
func muchNearer(lines, a, b [][]byte) bool {
	to := wordsOf(lines)
	return distance(wordsOf(a), to)+Specific <= distance(wordsOf(b), to)
}

// distance counts the bytes of the words that differ, and one byte more for the end of each.
func distance(from, to [][]byte) int {
	n := 0
	add := func(words [][]byte) {
		for _, w := range words {
			n += len(w) + 1
		}
	}
	for _, h := range linediff.Diff(from, to, linediff.Options{}).Hunks {
		add(from[h.OldStart : h.OldStart+h.OldCount])
		add(to[h.NewStart : h.NewStart+h.NewCount])
	}
	return n
}

// wordsOf cuts lines into their words. A line of signs alone is one word.
func wordsOf(lines [][]byte) [][]byte {
	var words [][]byte
	for _, line := range lines {
		found := bytes.FieldsFunc(line, linediff.Separates)
		if len(found) == 0 {
			if found = bytes.Fields(line); len(found) == 0 {
				found = [][]byte{nil}
			}
		}
		words = append(words, found...)
	}
	return words
}

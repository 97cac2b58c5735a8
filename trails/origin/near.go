package origin

import (
	"bytes"
	"unicode"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Nearer reports whether a content is closer to a than to b: whether fewer characters have to be deleted and
// inserted. A counts when it is all the same. That a line stands in a says little: it may be a brace. For example: a
// stash took an agent's 2 lines and HEAD has 40 others. A file with 39 of these is nearer to HEAD's.
func Nearer(lines, a, b [][]byte) bool { return distance(a, lines) <= distance(b, lines) }

// NearerByWords reports the same of the words. Somebody who types in a buffer changes lines and leaves most words.
func NearerByWords(lines, a, b [][]byte) bool {
	now := wordsOf(lines)
	return distance(wordsOf(a), now) <= distance(wordsOf(b), now)
}

func wordsOf(lines [][]byte) (out [][]byte) {
	for _, l := range lines {
		out = append(out, bytes.FieldsFunc(l, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	return out
}

// distance counts the characters of the lines that differ, white space apart, with one for the end of each.
func distance(from, to [][]byte) int {
	n := 0
	add := func(lines [][]byte) {
		for _, l := range lines {
			n += len(linediff.StripSpace(l)) + 1
		}
	}
	for _, h := range linediff.Diff(from, to, linediff.Options{Key: linediff.NoSpace}).Hunks {
		add(from[h.OldStart : h.OldStart+h.OldCount])
		add(to[h.NewStart : h.NewStart+h.NewCount])
	}
	return n
}

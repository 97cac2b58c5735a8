package exit

import (
	"fmt"
	"strings"
)

// Nearest returns the word of a list that was probably meant; "" for none. One word is a prefix of the other, or they
// are at most two edits apart.
func Nearest(word string, list []string) string {
	best, least := "", 3
	for _, name := range list {
		distance := Edits(word, name)
		if word != "" && (strings.HasPrefix(name, word) || strings.HasPrefix(word, name)) {
			distance = 0
		}
		if distance < least && distance < len(name)-1 {
			best, least = name, distance
		}
	}
	return best
}

// Meant returns a hint with the nearest word. If no word is near, it returns the other hint.
func Meant(word string, list []string, otherwise string) string {
	if near := Nearest(word, list); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

// NoSuch returns the error for a name that is not in a list. The hint gives the nearest name, or all names.
func NoSuch(what, name string, known []string) error {
	return Fail(Misuse, fmt.Errorf("unknown %s '%s'", what, name),
		Meant(name, known, "known are "+strings.Join(known, ", ")))
}

// Edits returns the number of edits that turn `a` into `b`. An edit inserts, deletes or replaces a character, or swaps
// two neighbours (Damerau-Levenshtein distance, each place edited once).
func Edits(a, b string) int {
	before, last := []int{}, make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1)
			if a[i-1] == b[j-1] {
				row[j] = min(row[j], last[j-1])
			} else {
				row[j] = min(row[j], last[j-1]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

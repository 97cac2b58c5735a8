package main

import (
	"slices"
	"strconv"
	"strings"
)

// plural counts things: "1 event", "18,204 events", "2 batches".
func plural(n int, word string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(word, "ch"):
		word += "es"
	default:
		word += "s"
	}
	return thousands(n) + " " + word
}

// thousands writes a number with a comma behind every third digit from the right.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// words joins what is not empty by blanks.
func words(list ...string) string { return join(list, " ") }

// dotted joins what is not empty by dots: "claude-code · claude-opus-4-5".
func dotted(list ...string) string { return join(list, " · ") }

func join(list []string, by string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == "" }), by)
}

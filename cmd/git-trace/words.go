package main

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
)

// ownerWord returns the word in a list for lines without a known writer.
func ownerWord(kind events.OwnerKind) string {
	if kind == events.OwnerOlder {
		return "older than the recording"
	}
	return "nobody knows"
}

// plural counts things: "1 event", "18,204 events".
func plural(n int, word string) string { return numbers.Count(n, word) }

func thousands(n int) string { return numbers.Thousands(n) }

// words joins the texts that are not empty by blanks.
func words(list ...string) string { return join(list, " ") }

// dotted joins the texts that are not empty by dots: "claude-code · claude-opus-4-5".
func dotted(list ...string) string { return join(list, " · ") }

func join(list []string, by string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == "" }), by)
}

package main

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
)

// ownerWord returns the word for lines without a known writer in a list.
func ownerWord(kind events.OwnerKind) string {
	if kind == events.OwnerOlder {
		return "older than the recording"
	}
	return "nobody knows"
}

// plural returns a number with its noun: "1 event", "18,204 events".
func plural(n int, word string) string { return numbers.Count(n, word) }

func thousands(n int) string { return numbers.Thousands(n) }

// words joins the non-empty texts with blanks.
func words(list ...string) string { return join(list, " ") }

// dotted joins the non-empty texts with dots: "claude-code · claude-opus-4-5".
func dotted(list ...string) string { return join(list, " · ") }

func join(list []string, by string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == "" }), by)
}

package main

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
)

// nearest returns the word of a list that was probably meant; "" for none. One word is a prefix of the other, or they
// are at most two edits apart.
func nearest(word string, list []string) string {
	best, least := "", 3
	for _, name := range list {
		distance := edits(word, name)
		if word != "" && (strings.HasPrefix(name, word) || strings.HasPrefix(word, name)) {
			distance = 0
		}
		if distance < least && distance < len(name)-1 {
			best, least = name, distance
		}
	}
	return best
}

// nearID reports whether a word is probably an id or a prefix of one, with a mistake: one edit, or two from eight
// characters on. Words of fewer than four characters are excluded, since they resemble too many ids.
func nearID(word, id string) bool {
	if len(word) < fewestDigits || len(word) > len(id)+1 {
		return false
	}
	least := len(word)
	for n := len(word) - 1; n <= len(word)+1; n++ {
		least = min(least, edits(word, id[:min(n, len(id))]))
	}
	return least == 1 || least == 2 && len(word) >= 8
}

// meant returns a hint with the nearest word. If no word is near, it returns the other hint.
func meant(word string, list []string, otherwise string) string {
	if near := nearest(word, list); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

// noSuch returns the error for a name that is not in a list. The hint gives the nearest name, or all names.
func noSuch(what, name string, known []string) error {
	return exit.Fail(exit.Misuse, fmt.Errorf("unknown %s '%s'", what, name),
		meant(name, known, "known are "+strings.Join(known, ", ")))
}

// otherWords maps words that people know from other programs to our commands.
var otherWords = map[string]string{
	"annotate": "blame", "cost": "stats", "costs": "stats", "conversations": "log", "delete": "purge",
	"disable": "uninstall", "enable": "setup", "explain": "why", "fetch": "pull", "find": "search",
	"forget": "purge", "grep": "search",
	"history": "log", "install": "init", "list": "log", "rewind": "restore", "sessions": "log",
	"share": "push", "start": "init", "stop": "uninstall", "sync": "pull", "timeline": "graph", "undo": "revert",
	"upload": "push", "usage": "stats",
}

func unknownVerb(verb string) error {
	if word := otherWords[verb]; word != "" {
		return exit.Fail(exit.Misuse, fmt.Errorf("'%s' is not a git-trace command", verb), "git trace "+word+" does that")
	}
	var names []string
	for _, c := range allCommands() {
		names = append(names, c.name)
	}
	return exit.Fail(exit.Misuse, fmt.Errorf("'%s' is not a git-trace command", verb),
		meant(verb, names, "git trace help --all lists the commands"))
}

// edits returns the number of edits that turn a into b. An edit inserts, deletes or replaces a character, or swaps two
// neighbours (Damerau-Levenshtein distance, each place edited once).
func edits(a, b string) int {
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

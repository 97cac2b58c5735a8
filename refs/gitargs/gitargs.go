// Package gitargs finds options by the rules of git's parse-options, in a table of a command's options.
package gitargs

import "strings"

// Value says where an option has its value.
type Value uint8

// The places of a value.
const (
	None     Value = iota
	Optional       // only in the same word
	Required       // in the same word or in the next
)

// Option is an option of a table, with its two names: a letter, 0 for none, and a word, empty for none.
type Option interface {
	Names() (letter byte, word string)
}

// Short finds an option by its letter.
func Short[O Option](table []O, letter byte) (found O, ok bool) {
	for _, one := range table {
		if has, _ := one.Names(); has == letter {
			return one, true
		}
	}
	return found, false
}

// Long finds an option by its word, by "no-" and its word, or by a unique abbreviation of either. Ambiguous words are
// not found: git rejects them.
func Long[O Option](table []O, name string) (found O, unset, ok bool) {
	matches := 0
	for _, one := range table {
		_, word := one.Names()
		if word == "" {
			continue
		}
		if name == word || name == "no-"+word {
			return one, name != word, true
		}
		plain := strings.HasPrefix(word, name)
		if plain || strings.HasPrefix("no-"+word, name) {
			found, unset = one, !plain
			matches++
		}
	}
	return found, unset, matches == 1
}

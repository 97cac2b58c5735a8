// Package gitargs finds options in a table of a command's options, by the rules of git's parse-options.
package gitargs

import "strings"

// Value says where the value of an option is.
type Value uint8

// The places of a value.
const (
	None     Value = iota
	Optional       // the value is in the same word, or missing
	Required       // the value is in the same word or in the next one
)

// Option is an option in a table. It has a letter (0 if none) and a long name ("" if none).
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

// Long finds an option by its long name, by "no-" and its long name, or by a unique abbreviation of either. It does not
// find ambiguous abbreviations, because git rejects them.
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

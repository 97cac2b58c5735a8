package project

import "github.com/git-trace/git-trace/records/language"

// Language returns the language of a file by its name, as records have it; "" when the name does not tell one.
func Language(name string) string {
	found, _ := language.Of(name)
	return found.Recorded
}

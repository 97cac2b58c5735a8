package project

import "github.com/git-trace/git-trace/records/language"

// Language returns the language of a file, by its name and in the form of records; "" if unknown.
func Language(name string) string {
	found, _ := language.Of(name)
	return found.Recorded
}

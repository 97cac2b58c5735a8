package stats

import "github.com/git-trace/git-trace/records/language"

// LanguageOf returns the language of a file by its name alone. An end that no language is known for stands for itself,
// ".foo", and a name without one for nothing.
func LanguageOf(file string) string {
	if found, known := language.Of(file); known {
		return found.Name
	}
	if end := language.End(file); end != "" {
		return "." + end
	}
	return ""
}

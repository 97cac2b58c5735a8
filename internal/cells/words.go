package cells

import (
	"slices"
	"strings"
)

// Spaced joins the non-empty texts with blanks.
func Spaced(list ...string) string { return Join(list, " ") }

// Dotted joins the non-empty texts with dots: "claude-code · claude-opus-4-5".
func Dotted(list ...string) string { return Join(list, " · ") }

// Join joins the non-empty texts. The parameter `by` is the text between them.
func Join(list []string, by string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == "" }), by)
}

// Message returns a message on one line, with characters that control a terminal escaped. Such characters come from
// file names or the log, for example.
func Message(text string) string {
	return Safe(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text))
}

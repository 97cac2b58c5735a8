package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestWord is the greatest length of an indexed word, in bytes: longer words are data.
const longestWord = 64

// words calls the function `yield` with every word of a text in lower case, and with the parts of compound names.
func words(text string, yield func(word string)) {
	for len(text) > 0 {
		start := strings.IndexFunc(text, wordRune)
		if start < 0 {
			return
		}
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !wordRune(r) })
		if end < 0 {
			end = len(text)
		}
		if word := text[:end]; len(word) <= longestWord && utf8.ValidString(word) {
			yield(strings.ToLower(word))
			parts(word, yield)
		}
		text = text[end:]
	}
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// parts splits snake_case and camelCase; a word with only one part yields nothing.
func parts(word string, yield func(string)) {
	start := 0
	var last rune
	emit := func(end int) {
		if part := strings.Trim(word[start:end], "_"); part != "" && len(part) < len(word) {
			yield(strings.ToLower(part))
		}
		start = end
	}
	for i, r := range word {
		if i > 0 && (r == '_' || last == '_' || unicode.IsUpper(r) && unicode.IsLower(last)) {
			emit(i)
		}
		last = r
	}
	if start > 0 {
		emit(len(word))
	}
}

// queryWords returns the words of a query without repetitions and without parts: a search for sessionFile must not find
// every file.
func queryWords(query string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(query, func(r rune) bool { return !wordRune(r) }) {
		word := strings.ToLower(field)
		if len(word) > longestWord {
			continue
		}
		known := false
		for _, w := range out {
			known = known || w == word
		}
		if !known {
			out = append(out, word)
		}
	}
	return out
}

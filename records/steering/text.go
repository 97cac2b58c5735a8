package steering

import (
	"strings"
	"unicode"
)

// cut shortens a text to a number of characters and ends it with an ellipsis.
func cut(s string, most int) string {
	runes := 0
	for i := range s {
		if runes++; runes > most {
			return strings.TrimRight(string([]rune(s[:i])[:most-1]), " ") + "…"
		}
	}
	return s
}

// oneLine puts a text on one line and shortens it. The result is a copy, so that the original text can be freed.
func oneLine(s string, most int) string {
	if len(s) > 8*most+64 { // the rest is cut off later
		s = strings.ToValidUTF8(s[:8*most+64], "")
	}
	return strings.Clone(cut(strings.Join(strings.Fields(s), " "), most))
}

func firstLines(s string, n int) string {
	at := 0
	for range n {
		next := strings.IndexByte(s[at:], '\n')
		if next < 0 {
			return s
		}
		at += next + 1
	}
	return s[:at]
}

// firstSentence returns the first sentence of the first line that is not blank.
func firstSentence(s string) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for i, r := range line {
			if end := i + len(string(r)); strings.ContainsRune(".!?", r) && (end == len(line) || line[end] == ' ') ||
				strings.ContainsRune("。！？", r) {
				return line[:end]
			}
		}
		return line
	}
	return ""
}

// tokens returns the words of a text in lower case, without punctuation. Apostrophes inside words are kept, in one
// form.
func tokens(s string) []string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '’', '‘', '`', '´':
			return '\''
		}
		return unicode.ToLower(r)
	}, s)
	list := strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.IsSymbol(r) && r != '\''
	})
	out := list[:0]
	for _, word := range list {
		if word = strings.Trim(word, "'"); word != "" {
			out = append(out, word)
		}
	}
	return out
}

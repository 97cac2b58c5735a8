package payload

import "strings"

// maxCommand is the length of the part of a command line that is searched, in bytes. Longer lines mostly contain data
// in here-documents.
const maxCommand = 64 << 10

// eachCommand calls the function `yield` with the words of every simple command in a shell command line, in order. It
// handles quotes, comments and operators, expands nothing, and treats a here-document as more commands.
func eachCommand(line string, yield func(words []string)) {
	if len(line) > maxCommand {
		line = line[:maxCommand]
	}
	l := lexer{rest: line}
	var words []string
	for {
		word, end := l.next()
		if word != "" {
			words = append(words, word)
		}
		if end == endWord {
			continue
		}
		if len(words) > 0 {
			yield(words)
			words = nil
		}
		if end == endInput {
			return
		}
	}
}

type wordEnd int

const (
	endWord wordEnd = iota
	endCommand
	endInput
)

type lexer struct{ rest string }

// `next` returns the next word without its quotes, and how it ends; the word is empty between two operators.
func (l *lexer) next() (string, wordEnd) {
	l.rest = strings.TrimLeft(l.rest, " \t\r<>")
	if strings.HasPrefix(l.rest, "#") {
		_, after, _ := strings.Cut(l.rest, "\n")
		l.rest = after
		return "", l.atEnd(endCommand)
	}
	var word strings.Builder
	for i := 0; i < len(l.rest); i++ {
		switch c := l.rest[i]; c {
		case ' ', '\t', '\r', '<', '>':
			l.rest = l.rest[i:]
			return word.String(), endWord
		case '\n', ';', '&', '|', '(', ')', '`':
			l.rest = l.rest[i+1:]
			return word.String(), l.atEnd(endCommand)
		case '\\':
			if i++; i < len(l.rest) && l.rest[i] != '\n' {
				word.WriteByte(l.rest[i])
			}
		case '\'', '"':
			i += quoted(&word, l.rest[i:])
		default:
			word.WriteByte(c)
		}
	}
	l.rest = ""
	return word.String(), endInput
}

func (l *lexer) atEnd(end wordEnd) wordEnd {
	if l.rest == "" {
		return endInput
	}
	return end
}

// `quoted` appends the text of the quotation at the start of `text` to `word`. It returns the offset of the closing
// quote, or of the last byte if the quotation is not closed.
func quoted(word *strings.Builder, text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i
		case text[i] == '\\' && quote == '"' && i+1 < len(text):
			i++
		}
		word.WriteByte(text[i])
	}
	return len(text) - 1
}

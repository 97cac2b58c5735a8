package shell

import "strings"

// plain lists the characters without a special meaning in a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./="

// Quote quotes any text as one word.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Line returns the command line for the words. It quotes only words that need it.
func Line(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if quoted[i] = word; word == "" || strings.Trim(word, plain) != "" {
			quoted[i] = Quote(word)
		}
	}
	return strings.Join(quoted, " ")
}

// Words splits a simple command like a shell. It returns nil for a command that needs operators or expansions, or has
// an unclosed quote.
func Words(command string) []string {
	var words []string
	var word strings.Builder
	open := false // a word has begun, which may be empty
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case ' ', '\t', '\n':
			if open {
				words, open = append(words, word.String()), false
				word.Reset()
			}
			continue
		case '\'':
			end := strings.IndexByte(command[i+1:], '\'')
			if end < 0 {
				return nil
			}
			word.WriteString(command[i+1 : i+1+end])
			i += end + 1
		case '"':
			end := double(&word, command[i:])
			if end < 0 {
				return nil
			}
			i += end
		case '\\':
			if i++; i == len(command) {
				return nil
			}
			word.WriteByte(command[i])
		case ';', '&', '|', '<', '>', '(', ')', '$', '`':
			return nil
		default:
			word.WriteByte(c)
		}
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// double reads the double-quoted part at the start of a text, and returns the offset of its closing quote; -1 if there
// is none.
func double(word *strings.Builder, text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i
		case c == '$' || c == '`':
			return -1
		case c == '\\' && i+1 < len(text) && strings.IndexByte("\"\\$`", text[i+1]) >= 0:
			i++
		}
		word.WriteByte(text[i])
	}
	return -1
}

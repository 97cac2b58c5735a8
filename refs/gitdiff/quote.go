package gitdiff

import "fmt"

// Unquote parses a path as git prints it: plain, or in double quotes with C escapes (core.quotePath in git-config(1)).
// Git always quotes a name that begins with a quote, so the form is never ambiguous.
func Unquote(text []byte) (string, bool) {
	if len(text) == 0 || text[0] != '"' {
		return string(text), true
	}
	if len(text) < 2 || text[len(text)-1] != '"' {
		return "", false
	}
	text = text[1 : len(text)-1]
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			return "", false
		case c != '\\':
			out = append(out, c)
			continue
		case i+1 == len(text):
			return "", false
		}
		i++
		if plain, ok := unescape(text[i]); ok {
			out = append(out, plain)
			continue
		}
		if i+2 >= len(text) || !octal(text[i], '3') || !octal(text[i+1], '7') || !octal(text[i+2], '7') {
			return "", false
		}
		out = append(out, (text[i]-'0')<<6|(text[i+1]-'0')<<3|(text[i+2]-'0'))
		i += 2
	}
	return string(out), true
}

// Quote quotes a path as git does with its default core.quotePath.
func Quote(path string) string {
	plain := true
	for i := 0; i < len(path); i++ {
		if c := path[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return path
	}
	out := []byte{'"'}
	for i := 0; i < len(path); i++ {
		c := path[i]
		letter, escaped := escape(c)
		switch {
		case escaped:
			out = append(out, '\\', letter)
		case c < ' ' || c >= 0x7f:
			out = fmt.Appendf(out, `\%03o`, c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// The letters of C escapes, and their bytes in the same order.
const (
	escapeLetters = `abtnvfr"\`
	escapedBytes  = "\a\b\t\n\v\f\r\"\\"
)

func unescape(letter byte) (byte, bool) { return pick(letter, escapeLetters, escapedBytes) }

func escape(c byte) (byte, bool) { return pick(c, escapedBytes, escapeLetters) }

func pick(c byte, from, to string) (byte, bool) {
	for i := range len(from) {
		if from[i] == c {
			return to[i], true
		}
	}
	return 0, false
}

func octal(c, highest byte) bool { return c >= '0' && c <= highest }

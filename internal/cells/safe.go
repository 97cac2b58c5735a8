package cells

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe makes text safe for a terminal. Control characters become ^X, and bytes that are not UTF-8 become <E9>. Other
// characters that control a terminal, or change the order of the text around them, become a form like <U+202E>.
func Safe(text string) string {
	at := firstUnsafe(text)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for rest := text[at:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<%02X>", rest[0])
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case !Printable(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// SafeTabs makes a line of a file safe as Safe does, but keeps tabs.
func SafeTabs(text string) string {
	for rest, more := text, true; more; {
		var field string
		if field, rest, more = strings.Cut(rest, "\t"); firstUnsafe(field) < len(field) {
			fields := strings.Split(text, "\t")
			for i := range fields {
				fields[i] = Safe(fields[i])
			}
			return strings.Join(fields, "\t")
		}
	}
	return text
}

// Line returns the beginning of a text as one safe line. Each run of white space becomes one blank.
func Line(text string) string {
	const enough = 4096 // bytes; more than any screen shows, so the rest of a long prompt is not needed
	if len(text) > enough {
		text = text[:enough]
	}
	return Safe(strings.Join(strings.Fields(text), " "))
}

func firstUnsafe(text string) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !Printable(r) || r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// Printable reports whether a character only shows itself. It refuses format characters, except the joiners that
// scripts and emoji need: they change nothing outside their word.
func Printable(r rune) bool {
	const nonJoiner, joiner = 0x200c, 0x200d
	switch {
	case r >= ' ' && r < 0x7f, r == nonJoiner, r == joiner:
		return true
	case unicode.Is(unicode.Bidi_Control, r):
		return false
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}

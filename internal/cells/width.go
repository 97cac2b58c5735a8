package cells

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// screen measures text as terminals show it. Each of these is one character: an emoji with its skin tone, a family, a
// flag, a letter with accents. It ignores the locale, so that the same text always has the same width.
func screen() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// Width returns the width of a text in cells.
func Width(text string) int {
	if ascii(text) {
		return len(text)
	}
	return screen().StringWidth(text)
}

// ascii reports whether a text has only printable ASCII characters, each one cell wide.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Pad adds blanks up to a width of n cells. It does not change wider text.
func Pad(text string, n int) string {
	return text + strings.Repeat(" ", max(n-Width(text), 0))
}

// Cut shortens text to at most n cells. If it cuts, the text ends with an ellipsis.
func Cut(text string, n int) string {
	switch {
	case n < 1:
		return ""
	case len(text) <= n && ascii(text):
		return text
	}
	return screen().Truncate(text, n, "…")
}

// CutLeft cuts the beginning instead, for paths, whose end says more. It cuts before a slash if one is near.
func CutLeft(text string, n int) string {
	if n < 1 || Width(text) <= n {
		return Cut(text, n)
	}
	// A wide character that was cut in half leaves a blank.
	rest := strings.TrimLeft(screen().TruncateLeft(text, Width(text)-n+1, ""), " ")
	if slash := strings.IndexByte(rest, '/'); slash > 0 && slash < len(rest)-1 && slash <= len(rest)/2 {
		rest = rest[slash:]
	}
	return "…" + rest
}

// Fit pads or cuts text to exactly n cells.
func Fit(text string, n int) string { return Pad(Cut(text, n), n) }

// Wrap breaks text at blanks into at most `limit` lines of at most n cells. It breaks a word only if it is longer than
// a line. If text is left over, the last line ends with an ellipsis.
func Wrap(text string, n, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for word != "" && len(lines) <= limit {
			switch joined := strings.TrimPrefix(line+" "+word, " "); {
			case Width(joined) <= n:
				line, word = joined, ""
			case line != "":
				lines, line = append(lines, line), ""
			default:
				head := headOf(word, n)
				lines, word = append(lines, head), word[len(head):]
			}
		}
		if len(lines) > limit {
			break
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) > limit {
		lines = lines[:limit]
		lines[limit-1] = Cut(lines[limit-1]+"…", n)
	}
	return lines
}

// headOf returns the beginning of a word that fits in n cells, with at least one displayed character.
func headOf(word string, n int) string {
	head := ""
	for ; head == ""; n++ {
		head = screen().Truncate(word, n, "")
	}
	return head
}

// Expand replaces tabs by blanks, with a tab stop every eight cells.
func Expand(text string) string {
	const stop = 8
	var b strings.Builder
	at := 0
	for i, field := range strings.Split(text, "\t") {
		if i > 0 {
			n := stop - at%stop
			b.WriteString(strings.Repeat(" ", n))
			at += n
		}
		b.WriteString(field)
		at += Width(field)
	}
	return b.String()
}

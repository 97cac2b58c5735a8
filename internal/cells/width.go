package cells

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// screen measures what terminals show as one character: an emoji with its skin tone, a family, a flag, a letter with
// its accents. It does not ask the locale, so that the same text is as wide everywhere.
func screen() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// Width returns the number of cells that text takes.
func Width(text string) int {
	if ascii(text) {
		return len(text)
	}
	return screen().StringWidth(text)
}

// ascii reports whether a text has only ASCII letters, figures and signs, a cell each.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Pad adds blanks up to n cells. It does not change longer text.
func Pad(text string, n int) string {
	return text + strings.Repeat(" ", max(n-Width(text), 0))
}

// Cut shortens text to at most n cells; a cut text ends in an ellipsis.
func Cut(text string, n int) string {
	switch {
	case n < 1:
		return ""
	case len(text) <= n && ascii(text):
		return text
	}
	return screen().Truncate(text, n, "…")
}

// CutLeft is Cut at the other end, for paths, whose end says more than their beginning. It cuts before a slash where
// one is near enough.
func CutLeft(text string, n int) string {
	if n < 1 || Width(text) <= n {
		return Cut(text, n)
	}
	// Half of a wide character is left as a blank.
	rest := strings.TrimLeft(screen().TruncateLeft(text, Width(text)-n+1, ""), " ")
	if slash := strings.IndexByte(rest, '/'); slash > 0 && slash < len(rest)-1 && slash <= len(rest)/2 {
		rest = rest[slash:]
	}
	return "…" + rest
}

// Fit pads or cuts text to exactly n cells.
func Fit(text string, n int) string { return Pad(Cut(text, n), n) }

// Wrap breaks text at blanks into lines of at most n cells; a word that is longer is broken where it must. It gives
// at most limit lines. An ellipsis ends the last one if there is more.
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

// headOf returns the part of a word that fits n cells, at least one displayed character.
func headOf(word string, n int) string {
	head := ""
	for ; head == ""; n++ {
		head = screen().Truncate(word, n, "")
	}
	return head
}

// Expand replaces tabs by blanks, with stops every eight cells of the text.
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

package cells

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is the number of cells that text takes.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Pad adds blanks up to n cells. Longer text stays as it is.
func Pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-Width(text)))
}

// Cut shortens text to at most n cells, the last of them an ellipsis if anything was cut.
func Cut(text string, n int) string {
	if Width(text) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	used := 0
	for i, r := range text {
		if used += runeWidth(r); used > n-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// CutLeft is Cut at the other end, for paths, whose end says more than their beginning. It cuts before a slash where one
// is near enough.
func CutLeft(text string, n int) string {
	excess := Width(text) - n
	if excess <= 0 {
		return text
	}
	if n < 1 {
		return ""
	}
	used := 0
	for i, r := range text {
		if used > excess {
			rest := text[i:]
			if slash := strings.IndexByte(rest, '/'); slash > 0 && slash < len(rest)-1 && slash <= len(rest)/2 {
				rest = rest[slash:]
			}
			return "…" + rest
		}
		used += runeWidth(r)
	}
	return "…"
}

// Fit pads or cuts text to exactly n cells.
func Fit(text string, n int) string { return Pad(Cut(text, n), n) }

// Wrap breaks text at blanks into lines of at most n cells; a word that is longer is broken where it must. At most limit
// lines are given, the last of which ends in an ellipsis if there is more.
func Wrap(text string, n, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for {
			switch joined := strings.TrimPrefix(line+" "+word, " "); {
			case Width(joined) <= n:
				line, word = joined, ""
			case line != "":
				lines, line = append(lines, line), ""
			default:
				head := headOf(word, n)
				lines, word = append(lines, head), word[len(head):]
			}
			if word == "" || len(lines) > limit {
				break
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

// headOf is as much of a word as fits n cells, at least one character.
func headOf(word string, n int) string {
	used := 0
	for i, r := range word {
		if used += runeWidth(r); used > n && i > 0 {
			return word[:i]
		}
	}
	return word
}

// Expand writes out tabs as blanks, with stops every eight cells of the text's own.
func Expand(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	const stop = 8
	var b strings.Builder
	at := 0
	for _, r := range text {
		if r == '\t' {
			n := stop - at%stop
			b.WriteString(strings.Repeat(" ", n))
			at += n
			continue
		}
		b.WriteRune(r)
		at += runeWidth(r)
	}
	return b.String()
}

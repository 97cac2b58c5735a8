package blame

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// visible makes text safe for a terminal: control characters as ^X, other characters that act on a terminal or on the
// order of the text around them as <U+202E>, bytes that are not UTF-8 as <E9>. Tabs stay when keepTabs.
func visible(text string, keepTabs bool) string {
	at := firstUnsafe(text, keepTabs)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for rest := text[at:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\t' && keepTabs:
			b.WriteByte('\t')
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<%02X>", rest[0])
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case !printable(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// firstUnsafe is the position of the first character that visible would change.
func firstUnsafe(text string, keepTabs bool) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f || c == '\t' && keepTabs {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !printable(r) || r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// columns is the number of terminal cells that text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
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

// fit pads text to a number of columns, or cuts it and marks the cut.
func fit(text string, cells int) string {
	n := columns(text)
	if n > cells {
		text = cut(text, cells)
		n = columns(text)
	}
	return text + strings.Repeat(" ", max(0, cells-n))
}

// cut shortens text to a number of columns, the last of them an ellipsis.
func cut(text string, cells int) string {
	n := 0
	for i, r := range text {
		if n += runeColumns(r); n > cells-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// uniqueLength is the fewest leading bytes, at least fewest, that tell all different ids apart.
func uniqueLength(ids []string, fewest int) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for i := 1; i < len(ids); i++ {
		a, b := ids[i-1], ids[i]
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		fewest = max(fewest, same+1)
	}
	return fewest
}

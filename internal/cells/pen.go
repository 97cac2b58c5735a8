package cells

import (
	"strconv"
	"strings"
)

// Pen colours text if colour is on.
type Pen struct{ On bool }

// Escape sequences (ECMA-48, select graphic rendition).
const (
	Faint     = "\x1b[2m"
	Bold      = "\x1b[1m"
	HashColor = "\x1b[33m"
	PlusColor = "\x1b[32m"
	LessColor = "\x1b[31m"
	noColor   = "\x1b[m"
)

// Shade returns the escape sequence for a colour of the palette of 256.
func Shade(n uint8) string { return "\x1b[38;5;" + strconv.Itoa(int(n)) + "m" }

// Paint returns the text in a colour. Blank text is returned unchanged.
func (p Pen) Paint(color, text string) string {
	if !p.On || strings.TrimSpace(text) == "" {
		return text
	}
	return color + text + noColor
}

package main

import "strings"

// pen colours text if colour is on.
type pen struct{ on bool }

// Escape sequences (ECMA-48, select graphic rendition).
const (
	faint     = "\x1b[2m"
	bold      = "\x1b[1m"
	hashColor = "\x1b[33m"
	plusColor = "\x1b[32m"
	lessColor = "\x1b[31m"
	plain     = "\x1b[m"
)

func (p pen) paint(color, text string) string {
	if !p.on || strings.TrimSpace(text) == "" {
		return text
	}
	return color + text + plain
}

package graph

import (
	"time"

	"github.com/git-trace/git-trace/events"
)

// Style controls the drawing. The caller knows the terminal.
type Style struct {
	Color bool
	Width int       // width of the screen in cells; 0 means 80
	Whole bool      // do not shorten names, subjects and lists of files to the width
	Now   time.Time // the time from which ages are computed
	// ShortTrace abbreviates a trace id so that other commands accept it.
	ShortTrace func(events.TraceID) string
	// TraceColor returns the colour of a conversation, as an index in the 256-colour set.
	TraceColor func(events.TraceID) uint8
}

const defaultWidth = 80

// Escape sequences (ECMA-48, select graphic rendition). Ids and decorations have the same colours as in git.
const (
	reset     = "\x1b[m"
	dim       = "\x1b[2m"
	hashColor = "\x1b[33m"
	refColor  = "\x1b[1;32m"
)

func (s *Style) width() int {
	if s.Width <= 0 {
		return defaultWidth
	}
	return s.Width
}

func (s *Style) short(id events.TraceID) string {
	if s.ShortTrace == nil {
		return string(id)
	}
	return s.ShortTrace(id)
}

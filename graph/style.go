package graph

import (
	"time"

	"github.com/git-trace/git-trace/events"
)

// Style holds the settings of the drawing. The caller knows the terminal.
type Style struct {
	Color bool
	Width int       // of the screen in cells; 0 means 80
	Whole bool      // names, subjects and lists of files are not cut to the width
	Now   time.Time // ages are counted from this time
	// ShortTrace abbreviates a trace id so that other commands find it.
	ShortTrace func(events.TraceID) string
	// TraceColor is the colour of a conversation, an index in the 256-colour set.
	TraceColor func(events.TraceID) uint8
}

const defaultWidth = 80

// Escape sequences (ECMA-48, select graphic rendition). Ids and decorations have the colours that git gives them.
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

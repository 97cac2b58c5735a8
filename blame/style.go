package blame

import (
	"hash/fnv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/refs"
)

// Style controls how lines are drawn. The caller knows the terminal and sets the first fields. Run sets the columns
// from options and configuration.
type Style struct {
	// Terminal is true if the output goes to a terminal, with or without a pager. Then control characters are made
	// visible. Otherwise content and names are written unchanged, as git does.
	Terminal bool
	Color    bool
	// ColorIn computes Color from git's configuration; nil if Color is already final.
	ColorIn func(refs.Config) bool
	Width   int // width of the screen in columns; 0 means 80
	// ShortTrace abbreviates a trace id so that other commands accept it. If it is nil, ids are only unique within this
	// output.
	ShortTrace func(events.TraceID) string
	// Drawn, unless it is nil, receives the signs that were drawn.
	Drawn *Drawn

	Columns Columns
}

// Drawn holds the owners' signs that an output contains, for a legend.
type Drawn struct {
	Unknown, Mixed, Unsure bool
	Disputed               bool
	Older                  bool // the output has lines older than the recording; they have no sign
	Unrecorded             bool // nothing is recorded in this repository; set by the caller
	Shallow                bool // the clone lacks older commits; set by the caller
}

// Legend explains the drawn signs, one per line.
func (d Drawn) Legend() []string {
	var out []string
	for _, one := range []struct {
		drawn bool
		text  string
	}{
		{d.Unknown, SignUnknown + "  nobody knows who wrote it: git trace why FILE:LINE says more"},
		{d.Unsure, SignUnsure + "  one of several agents, or known with little confidence"},
		{d.Disputed, SignDisputed + "  clones disagree who wrote it: git trace why FILE:LINE says who"},
		{d.Mixed, SignMixed + "  an agent and a person wrote it"},
		{d.Older && d.Unrecorded, "nothing is recorded in this repository: git trace init"},
		{(d.Older || d.Unknown) && d.Shallow, "this clone lacks older commits, which may tell more: git fetch --unshallow"},
		{d.Older && !d.Unrecorded, "lines older than the recording bear no sign: git trace backfill"},
	} {
		if one.drawn {
			out = append(out, one.text)
		}
	}
	return out
}

// Columns holds the options of git-blame(1) that change the drawing.
type Columns struct {
	Digits        int    // length of a commit id; 0 means 7
	Path          string // the blamed path; lines from other paths add a column for the path
	NoAuthor      bool   // -s
	Email         bool   // -e
	ShowName      bool   // -f
	ShowNumber    bool   // -n
	Annotate      bool   // -c
	BlankBoundary bool   // -b
	Prompts       bool   // --prompts
	// Repeated is the escape sequence for a line that has the same commit as the previous line: --color-lines.
	Repeated string
	// Ages holds the colours of --color-by-age, oldest first.
	Ages []AgeColor
}

// AgeColor is the escape sequence for commits made at Until or before.
type AgeColor struct {
	Escape string
	Until  int64 // seconds since the epoch
}

const defaultWidth = 80

func (s *Style) width() int {
	if s.Width <= 0 {
		return defaultWidth
	}
	return s.Width
}

// palette has colours of the 256-colour set that differ clearly, and are readable on light and dark backgrounds.
var palette = [...]uint8{33, 37, 64, 67, 98, 130, 133, 136, 161, 166, 172, 29}

// TraceColor returns the colour of a conversation, as an index in the 256-colour set. It depends only on the id, so a
// conversation has the same colour in every output.
func TraceColor(trace events.TraceID) uint8 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(trace))
	return palette[h.Sum32()%uint32(len(palette))]
}

// The escape sequences for git-trace's own colours (ECMA-48, select graphic rendition).
const (
	reset = "\x1b[m"
	dim   = "\x1b[2m"
)

// shortTraces returns a function that abbreviates trace ids. It is the caller's function, or cuts ids to the fewest
// digits, at least four, that distinguish the ids of the lines.
func (s *Style) shortTraces(lines []Annotated) func(events.TraceID) string {
	if s.ShortTrace != nil {
		return s.ShortTrace
	}
	const fewest = 4
	var ids []string
	for i := range lines {
		if id := string(lines[i].Owner.Trace); id != "" {
			ids = append(ids, id)
		}
	}
	n := cells.UniqueLength(ids, fewest)
	return func(id events.TraceID) string { return string(id)[:min(n, len(id))] }
}

package blame

import (
	"hash/fnv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/refs"
)

// Style says how lines are drawn. The caller knows the terminal and sets the first fields; Run adds the columns that
// options and configuration ask for.
type Style struct {
	// Terminal says that the output goes to a terminal, through a pager or not: control characters are made visible.
	// Otherwise content and names are written unchanged, as git does.
	Terminal bool
	Color    bool
	// ColorIn replaces Color once git's configuration is read; nil if Color is already final.
	ColorIn func(refs.Config) bool
	Width   int // of the screen in columns; 0 means 80
	// ShortTrace abbreviates a trace id so that other commands find it; nil means as short as this output allows.
	ShortTrace func(events.TraceID) string
	// Drawn receives the signs that were drawn; it may be nil.
	Drawn *Drawn

	Columns Columns
}

// Drawn names the signs of an output's owners, for a legend beside it.
type Drawn struct {
	Unknown, Mixed, Unsure bool
	Disputed               bool
	Older                  bool // lines older than the recording, which bear none
	Unrecorded             bool // they are because nothing is recorded here; the caller knows
	Shallow                bool // the clone has no older commits; the caller sets it
}

// Legend explains the drawn signs, a line each.
func (d Drawn) Legend() []string {
	var out []string
	for _, one := range []struct {
		drawn bool
		text  string
	}{
		{d.Unknown, signUnknown + "  nobody knows who wrote it: git trace why FILE:LINE says more"},
		{d.Unsure, signUnsure + "  one of several agents, or known with little confidence"},
		{d.Disputed, signDisputed + "  clones disagree who wrote it: git trace why FILE:LINE says who"},
		{d.Mixed, signMixed + "  an agent and a person wrote it"},
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
	Digits        int    // of a commit id; 0 means 7
	Path          string // the blamed path: other original paths bring a column for them
	NoAuthor      bool   // -s
	Email         bool   // -e
	ShowName      bool   // -f
	ShowNumber    bool   // -n
	Annotate      bool   // -c
	BlankBoundary bool   // -b
	Prompts       bool   // --prompts
	// Repeated is the escape sequence for the columns of a line with the same commit as the previous line: --color-lines.
	Repeated string
	// Ages are the colours of --color-by-age, oldest first.
	Ages []AgeColor
}

// AgeColor is the escape sequence for commits not younger than Until.
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

// palette holds colours of the 256-colour set that differ clearly and are readable on a light and on a dark background.
var palette = [...]uint8{33, 37, 64, 67, 98, 130, 133, 136, 161, 166, 172, 29}

// TraceColor returns the colour of a conversation, an index in the 256-colour set. It depends on the id alone, so that
// a conversation has one colour wherever it is shown.
func TraceColor(trace events.TraceID) uint8 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(trace))
	return palette[h.Sum32()%uint32(len(palette))]
}

// The escape sequences of our own colouring (ECMA-48, select graphic rendition).
const (
	reset = "\x1b[m"
	dim   = "\x1b[2m"
)

// shortTraces abbreviates trace ids: with the caller's function, or to the fewest digits, four or more, that
// distinguish the given ids.
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

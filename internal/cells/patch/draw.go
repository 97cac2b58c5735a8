package patch

import (
	"bytes"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/diff"

	"github.com/git-trace/git-trace/internal/cells"
)

// Style holds the settings of the drawing.
type Style struct {
	Terminal bool // set for a terminal: tabs become blanks
	Color    bool
	// Margin returns the text before a line. line is its number in the new content; for a removed line, in the old
	// content; for other lines of the patch, 0. nil means no margin.
	Margin func(removed bool, line int) string
	Crop   *Crop // nil: the whole patch
}

// Crop selects a window of a patch: the rows around a line of the new content.
type Crop struct {
	Line, Rows int
	Title      string // written after the ranges, instead of the file names
	Ranges     string // if set, written instead of the ranges of the rows
	// LeftOut returns a line that tells the number of changed lines before or after the window.
	LeftOut func(lines int) string
}

// Escape sequences (ECMA-48, select graphic rendition). Changed words are shown in reverse video, which keeps their
// colour.
const (
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	cyan    = "\x1b[36m"
	reverse = "\x1b[7m"
	forward = "\x1b[27m"
)

// Draw returns the patch for people. It is safe for a terminal, and marks the changed words in a line.
func (f *File) Draw(style Style) (string, error) {
	drawn := &File{OldPath: cells.Safe(f.OldPath), NewPath: cells.Safe(f.NewPath)}
	for i, c := range f.chunks {
		var other []string
		switch {
		case c.op == diff.Delete && i+1 < len(f.chunks) && f.chunks[i+1].op == diff.Add:
			other = f.chunks[i+1].lines
		case c.op == diff.Add && i > 0 && f.chunks[i-1].op == diff.Delete:
			other = f.chunks[i-1].lines
		}
		drawn.add(c.op, style.lines(c, other))
	}
	var out bytes.Buffer
	encoder := diff.NewUnifiedEncoder(&out, Context)
	if style.Color {
		encoder.SetColor(diff.ColorConfig{diff.New: green, diff.Old: red, diff.Frag: cyan})
	}
	if err := encoder.Encode(drawn); err != nil {
		return "", err
	}
	return style.finish(out.String()), nil
}

// Replaced draws removed lines and the lines that replaced them. With colour, it marks the changed words. Lines keep
// their line ends.
func (s Style) Replaced(gone, came []string) (drawnGone, drawnCame []string) {
	return s.lines(chunk{diff.Delete, gone}, came), s.lines(chunk{diff.Add, came}, gone)
}

// lines draws the lines of a chunk. The parameter `other` holds the lines that they replace, or that replace them.
func (s Style) lines(c chunk, other []string) []string {
	out := make([]string, len(c.lines))
	for i, line := range c.lines {
		text, end := s.text(line)
		if !s.Color || i >= len(other) {
			out[i] = s.safe(text) + end
			continue
		}
		before := text
		after, _ := s.text(other[i])
		if c.op == diff.Add {
			before, after = after, before
		}
		var drawn strings.Builder
		for _, piece := range Words(before, after)[sideOf(c.op)] {
			if piece.Changed {
				drawn.WriteString(reverse + s.safe(piece.Text) + forward)
			} else {
				drawn.WriteString(s.safe(piece.Text))
			}
		}
		out[i] = drawn.String() + end
	}
	return out
}

func sideOf(op diff.Operation) int {
	if op == diff.Add {
		return 1
	}
	return 0
}

// text splits a line into its text and its line end.
func (s Style) text(line string) (text, end string) {
	text, found := strings.CutSuffix(line, "\n")
	if found {
		end = "\n"
	}
	if s.Terminal {
		return cells.Expand(strings.TrimSuffix(text, "\r")), end
	}
	return text, end
}

// `safe` replaces characters that control a terminal.
func (s Style) safe(text string) string {
	if s.Terminal {
		return cells.Safe(text)
	}
	if rest, found := strings.CutSuffix(text, "\r"); found { // a Windows line end
		return cells.SafeTabs(rest) + "\r"
	}
	return cells.SafeTabs(text)
}

// row is a line of a hunk.
type row struct {
	text     string
	sign     byte
	old, now int // line numbers of the two sides at this row
}

func (r *row) number() (removed bool, line int) {
	switch r.sign {
	case '-':
		return true, r.old
	case '\\':
		return false, 0
	}
	return false, r.now
}

// hunk is a run of rows, with the line that gives its ranges.
type hunk struct {
	head string
	rows []row
}

// finish removes unwanted parts of a patch, and writes the margin before its lines.
func (s Style) finish(text string) string {
	names, hunks := split(text)
	if s.Crop != nil {
		names, hunks = nil, s.crop(hunks)
	}
	var out strings.Builder
	line := func(text string, removed bool, number int) {
		if s.Margin != nil {
			out.WriteString(s.Margin(removed, number))
		}
		out.WriteString(text)
	}
	for _, name := range names {
		line(name, false, 0)
	}
	for _, h := range hunks {
		line(h.head, false, 0)
		for i := range h.rows {
			removed, number := h.rows[i].number()
			line(h.rows[i].text, removed, number)
		}
	}
	return out.String()
}

// split splits a patch into hunks. Of the lines before the first hunk it keeps only the file names, because there are
// no object ids.
func split(text string) (names []string, hunks []hunk) {
	old, now := 0, 0
	for line := range strings.Lines(text) {
		plain := strings.TrimLeft(line, "\x1b[0123456789m")
		switch {
		case strings.HasPrefix(plain, "@@ -"):
			old, now = starts(plain)
			hunks = append(hunks, hunk{head: cutHeading(line)})
			continue
		case len(hunks) > 0:
		case strings.HasPrefix(plain, "--- "), strings.HasPrefix(plain, "+++ "):
			names = append(names, line)
			continue
		default:
			continue
		}
		r := row{line, (plain + `\`)[0], old, now}
		if r.sign != '+' && r.sign != '\\' {
			old++
		}
		if r.sign != '-' && r.sign != '\\' {
			now++
		}
		h := &hunks[len(hunks)-1]
		h.rows = append(h.rows, r)
	}
	return names, hunks
}

// cutHeading keeps only the ranges of "@@ -1,2 +1,3 @@ text". The text is some earlier line, not the name of a
// function.
func cutHeading(line string) string {
	const mark = " @@"
	at := strings.Index(line, mark)
	rest := line[at+len(mark):]
	if after, painted := strings.CutPrefix(rest, "\x1b[m"); painted {
		return line[:at+len(mark)] + rest[:len(rest)-len(after)] + "\n"
	}
	return line[:at+len(mark)] + "\n"
}

// starts returns the first lines of the two ranges of "@@ -1,2 +1,3 @@". An empty range gives the line before it.
func starts(line string) (old, now int) {
	ranges := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '-' || r == '+' || r == '@' })
	if len(ranges) < 2 {
		return 0, 0
	}
	first := func(text string) int {
		if strings.HasSuffix(text, ",0") {
			return digits(text) + 1
		}
		return digits(text)
	}
	return first(ranges[0]), first(ranges[1])
}

func digits(text string) int {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

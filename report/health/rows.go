package health

import (
	"io"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/upkeep/doctor"
)

// rows is a table with labels and texts.
type rows struct {
	screen *terminal.Screen
	text   strings.Builder
	last   string
}

const labelWidth = 12

// row adds a row. The advice (mend) is at the end of the row if it fits, or else below. A label equal to the previous
// row's is not repeated.
func (t *rows) row(label, text, mend string) {
	text, mend = cells.Line(text), cells.Line(mend)
	room := t.screen.Width - labelWidth
	shown := label
	if label == t.last {
		shown = ""
	}
	t.last = label
	lines := cells.Wrap(text, room, 8)
	const gap = 4
	inline := len(lines) == 1 && cells.Width(text)+gap+cells.Width(mend) <= room
	if inline && mend != "" {
		lines[0] = text + strings.Repeat(" ", gap) + t.paint(mend)
	}
	for i, line := range lines {
		if i > 0 {
			shown = ""
		}
		t.text.WriteString(cells.Pad(shown, labelWidth) + line + "\n")
	}
	if !inline {
		t.below(mend)
	}
}

// findings adds rows for findings. Findings with the same advice have it once, below them.
func (t *rows) findings(label string, list []doctor.Finding) {
	for i, f := range list {
		alone := (i == 0 || list[i-1].Mend != f.Mend) && (i == len(list)-1 || list[i+1].Mend != f.Mend)
		switch {
		case alone:
			t.row(label, f.What, f.Mend)
		case i == len(list)-1 || list[i+1].Mend != f.Mend:
			t.row(label, f.What, "")
			t.below(f.Mend)
		default:
			t.row(label, f.What, "")
		}
	}
}

// `below` adds advice under the rows before it.
func (t *rows) below(mend string) {
	for _, line := range cells.Wrap(cells.Line(mend), t.screen.Width-labelWidth, 8) {
		t.text.WriteString(strings.Repeat(" ", labelWidth) + t.paint(line) + "\n")
	}
}

// paint colours the commands in a text.
func (t *rows) paint(text string) string {
	if !t.screen.Color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[m"
}

func (t *rows) write() error {
	_, err := io.WriteString(t.screen.Out, t.text.String())
	return err
}

package diff

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/patch"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
)

// diffDrawer draws a diff for people: a margin, then git's own lines.
type diffDrawer struct {
	*Diff
	pen    cells.Pen
	style  blame.Style
	owners *blame.OwnerColumn
	digits int
	text   flow
	screen *terminal.Screen

	prompts bool // drawn above the lines that they led to
}

// git's own colours (color.diff in git-config(1)) for the text around the lines.
const (
	metaColor = cells.Bold
	fragColor = "\x1b[36m"
)

// The margin takes at most a quarter of a screen, and at most as much as in blame.
const (
	ownerShare  = 4
	mostOwner   = 28
	fewestOwner = 8
)

// Draw draws a diff on the screen. It returns the signs that need a legend.
func Draw(screen *terminal.Screen, d *Diff, opts Options, short func(events.TraceID) string) (blame.Drawn,
	error) {
	drawn := newDiffDrawer(screen, d, blame.Style{
		Terminal: screen.Terminal, Color: screen.Color, Width: screen.Width, ShortTrace: short,
	})
	drawn.prompts = opts.Prompts
	err := drawn.draw(screen.Out, opts)
	return drawn.owners.Drawn(), err
}

func newDiffDrawer(s *terminal.Screen, d *Diff, style blame.Style) *diffDrawer {
	out := &diffDrawer{Diff: d, pen: cells.Pen{On: s.Color}, style: style, screen: s}
	var lines []blame.Annotated
	var owner *blame.Annotated
	last := 0
	for _, f := range d.Files {
		for i := range f.Hunks {
			for k := range f.Hunks[i].Lines {
				l := &f.Hunks[i].Lines[k]
				last = max(last, l.Old, l.New)
				if l.Owner != nil && l.Owner != owner { // all lines of a run share one owner
					owner = l.Owner
					lines = append(lines, *owner)
				}
			}
		}
	}
	out.digits = len(strconv.Itoa(last))
	out.owners = blame.NewOwnerColumn(lines, style, min(max(style.Width/ownerShare, fewestOwner), mostOwner))
	return out
}

// draw writes the diff as it arrives, because it may be long.
func (d *diffDrawer) draw(to io.Writer, opts Options) error {
	d.text.Writer = bufio.NewWriter(to)
	if opts.Figures && !opts.Patch {
		d.head(bytes.TrimSuffix(d.Before, []byte("\n\n")))
		if bytes.HasSuffix(d.Before, []byte("\n\n")) { // the blank line before the patch
			d.text.WriteString("\n")
		}
	} else {
		d.head(d.Before)
		for _, f := range d.Files {
			d.head(f.Head)
			for i := range f.Hunks {
				d.hunk(&f.Hunks[i])
			}
		}
	}
	d.sums()
	d.untracked()
	return d.text.Flush()
}

// untracked draws the untracked files, which git leaves out.
func (d *diffDrawer) untracked() {
	if len(d.Untracked) == 0 {
		return
	}
	if d.text.begun {
		d.text.WriteString("\n")
	}
	n := len(d.Untracked) + d.Unread
	d.text.WriteString(cells.Fold(d.pen.Paint(cells.Bold, numbers.Count(n,
		"file")+" not tracked; git add -N has them in the diff"),
		max(d.style.Width, fewestOwner)) + "\n")
	const figure = 8
	width := max(d.style.Width/2-figure, fewestOwner)
	for _, f := range d.Untracked {
		var writers []string
		for _, w := range f.Writers() {
			writers = append(writers, d.writer(w.Writer))
		}
		row := "  " + cells.Pad(d.screen.CutLeft(cells.Safe(f.Path), width), width) +
			fmt.Sprintf("%*s", figure, signed("+", f.Lines())) + "  "
		d.text.WriteString(strings.TrimRight(row+d.screen.Cut(strings.Join(writers, ", "), max(d.style.Width-cells.Width(row),
			fewestOwner)), " ") + "\n")
	}
	if d.Unread > 0 {
		d.text.WriteString("  " + d.pen.Paint(cells.Faint, "and "+numbers.Thousands(d.Unread)+" more") + "\n")
	}
}

// flow is buffered output.
type flow struct {
	*bufio.Writer
	begun bool
}

// WriteString writes text to the buffer.
func (f *flow) WriteString(text string) {
	f.begun = f.begun || text != ""
	_, _ = f.Writer.WriteString(text) // Flush returns the buffer's first error
}

// safe escapes characters that control a terminal.
func (d *diffDrawer) safe(text string) string {
	if d.style.Terminal {
		return cells.SafeTabs(text)
	}
	return text
}

// head draws git's lines before the hunks.
func (d *diffDrawer) head(text []byte) {
	for line := range strings.Lines(string(text)) {
		color := metaColor
		if strings.HasPrefix(line, " ") {
			color = ""
		}
		body, ended := strings.CutSuffix(line, "\n")
		d.text.WriteString(d.pen.Paint(color, d.safe(body)))
		if ended {
			d.text.WriteString("\n")
		}
	}
}

func (d *diffDrawer) hunk(h *Hunk) {
	head := d.safe(strings.TrimSuffix(string(h.Head), "\n"))
	if at := strings.Index(head[2:], "@@"); at >= 0 {
		at += 4
		head = d.pen.Paint(fragColor, head[:at]) + head[at:]
	}
	d.text.WriteString(head + "\n")
	drawn := d.bodies(h)
	asked := ""
	for i := range h.Lines {
		l := &h.Lines[i]
		asked = d.prompt(l.Owner, asked)
		if l.Sign == '\\' {
			d.text.WriteString(d.margin(nil, 0) + "\\" + drawn[i])
			continue
		}
		number := l.New
		if l.Sign == Removed {
			number = l.Old
		}
		body, end := strings.TrimSuffix(drawn[i], "\n"), ""
		if strings.HasSuffix(drawn[i], "\n") {
			end = "\n"
		}
		switch l.Sign {
		case Added:
			body = d.pen.Paint(cells.PlusColor, "+"+body)
		case Removed:
			body = d.pen.Paint(cells.LessColor, "-"+body)
		default:
			body = " " + body
		}
		d.text.WriteString(d.margin(l.Owner, number) + body + end)
	}
}

// prompt draws a prompt above the first line that it led to. The parameter `last` is the last drawn text.
func (d *diffDrawer) prompt(owner *blame.Annotated, last string) string {
	if !d.prompts || owner == nil || owner.Owner.Trace == "" || owner.Owner.PromptIndex == 0 {
		return last
	}
	o := owner.Owner
	name := fmt.Sprintf("%s#%d", d.style.ShortTrace(o.Trace), o.PromptIndex)
	if name != last {
		text := "(the text of this prompt is not kept here)"
		if o.PromptText != "" {
			text = `"` + cells.Line(o.PromptText) + `"`
		}
		row := d.screen.Cut("▌"+name+" "+cells.Safe(o.Agent)+" "+cells.Safe(text), max(d.style.Width, fewestOwner))
		d.text.WriteString(d.pen.Paint(cells.Shade(blame.TraceColor(o.Trace)), row) + "\n")
	}
	return name
}

// margin returns the text before a line: who wrote it, and its number on the side that has it.
func (d *diffDrawer) margin(owner *blame.Annotated, number int) string {
	cell := strings.Repeat(" ", d.owners.Width)
	if owner != nil {
		cell = d.owners.Owner(owner)
	}
	text := ""
	if number > 0 {
		text = strconv.Itoa(number)
	}
	return cell + d.pen.Paint(cells.Faint, fmt.Sprintf(" %*s │ ", d.digits, text))
}

// bodies returns the texts of the lines after their signs, with the changed words marked in lines that replaced others.
func (d *diffDrawer) bodies(h *Hunk) []string {
	style := patch.Style{Terminal: d.style.Terminal, Color: d.style.Color}
	out := make([]string, len(h.Lines))
	for at := 0; at < len(h.Lines); {
		var gone, came []int
		for ; at < len(h.Lines) && strings.IndexByte(`-\`, h.Lines[at].Sign) >= 0; at++ {
			gone = append(gone, at)
		}
		for ; at < len(h.Lines) && strings.IndexByte(`+\`, h.Lines[at].Sign) >= 0; at++ {
			came = append(came, at)
		}
		if len(gone)+len(came) == 0 {
			out[at] = string(h.Lines[at].Text)
			if d.style.Terminal {
				out[at] = d.context(out[at])
			}
			at++
			continue
		}
		drawnGone, drawnCame := d.replaced(style, h, gone, came)
		for i, k := range gone {
			out[k] = drawnGone[i]
		}
		for i, k := range came {
			out[k] = drawnCame[i]
		}
	}
	return out
}

func (d *diffDrawer) replaced(style patch.Style, h *Hunk, gone, came []int) (drawnGone, drawnCame []string) {
	texts := func(list []int) []string {
		out := make([]string, len(list))
		for i, at := range list {
			out[i] = string(h.Lines[at].Text)
		}
		return out
	}
	if !d.style.Terminal && !d.style.Color { // plain, as git writes them
		return texts(gone), texts(came)
	}
	return style.Replaced(texts(gone), texts(came))
}

func (d *diffDrawer) context(line string) string {
	body, ended := strings.CutSuffix(line, "\n")
	body = cells.Safe(cells.Expand(strings.TrimSuffix(body, "\r")))
	if ended {
		body += "\n"
	}
	return body
}

// sums draws the number of lines of each owner, and of lost lines.
func (d *diffDrawer) sums() {
	sums := d.Sums()
	if sums.Added.Lines+sums.Went == 0 {
		return
	}
	if d.text.begun {
		d.text.WriteString("\n")
	}
	d.text.WriteString(d.pen.Paint(cells.Bold, fmt.Sprintf("%s, +%s −%s", numbers.Count(d.differ(), "file"),
		numbers.Thousands(sums.Added.Lines), numbers.Thousands(sums.Went))) + "\n")
	gone := map[Writer]Churn{}
	for _, c := range d.Churn {
		gone[Writer{Kind: c.Kind, Trace: c.Trace}] = c
	}
	const name, figure = 30, 8
	width := min(name, max(d.style.Width-3*figure, fewestOwner))
	for _, s := range sums.Writers {
		row := "  " + cells.Fit(d.writer(s.Writer), width) + fmt.Sprintf("%*s", figure, signed("+", s.Added))
		if sums.Removed != nil {
			row += fmt.Sprintf("%*s", figure, signed("−", s.Removed))
		}
		key := Writer{Kind: s.Kind, Trace: s.Trace}
		row += d.gone(gone[key], s.Added)
		delete(gone, key)
		d.writerRow(s.Writer, row)
	}
	for _, c := range d.Churn { // writers whose lines are all lost
		if _, left := gone[Writer{Kind: c.Kind, Trace: c.Trace}]; left && c.Gone > 0 {
			d.writerRow(c.Writer, "  "+cells.Fit(d.writer(c.Writer), width)+strings.Repeat(" ", figure)+d.gone(c, 0))
		}
	}
}

// gone describes the loss of a writer's lines: how many are lost, and how many lines came from a merge or were moved.
func (d *diffDrawer) gone(c Churn, added int) string {
	if c.Gone == 0 {
		return ""
	}
	text := fmt.Sprintf("   wrote %s, %s gone", numbers.Thousands(c.Written), numbers.Thousands(c.Gone))
	if n := added - (c.Written - c.Gone); n > 0 {
		text += fmt.Sprintf(", %s came otherwise", numbers.Thousands(n))
	}
	return text
}

func (d *diffDrawer) writerRow(w Writer, row string) {
	color := cells.Faint
	if w.Trace != "" {
		color = cells.Shade(blame.TraceColor(w.Trace))
	}
	d.text.WriteString(d.pen.Paint(color, strings.TrimRight(row, " ")) + "\n")
}

// signed returns a figure with its sign; "" for 0.
func signed(sign string, n int) string {
	if n == 0 {
		return ""
	}
	return sign + numbers.Thousands(n)
}

// writer names a writer of lines, without the number of a prompt.
func (d *diffDrawer) writer(w Writer) string {
	switch {
	case w.Trace != "":
		return cells.Spaced(cells.Safe(w.Agent), cells.Safe(d.style.ShortTrace(w.Trace)))
	case w.Kind == "ai":
		return "one of several"
	case w.Kind == "human":
		return "people"
	}
	return ownerWord(w.Kind)
}

// differ returns the number of files that differ.
func (d *diffDrawer) differ() int {
	n := 0
	seen := map[string]bool{}
	for _, f := range d.Files {
		if f.Record == nil || !seen[f.Path] {
			n++
		}
		if f.Record != nil {
			seen[f.Path] = true
		}
	}
	return n
}

// ownerWord returns the word for lines without a known writer in a list.
func ownerWord(kind events.OwnerKind) string {
	if kind == events.OwnerOlder {
		return "older than the recording"
	}
	return "nobody knows"
}

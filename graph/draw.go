package graph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
)

// Drawer draws commits one by one, as Walk yields them.
type Drawer struct {
	w     *bufio.Writer
	style Style
}

// NewDrawer returns a drawer. It writes to w once for each commit.
func NewDrawer(w io.Writer, style Style) *Drawer {
	return &Drawer{w: bufio.NewWriter(w), style: style}
}

// Commit draws one commit, its contributors, and the edges that lead to the next commit.
func (d *Drawer) Commit(c *Commit) error {
	d.head(c)
	rows := d.rows(c)
	for i, row := range rows {
		d.line(c.edges.at(i+1), row)
	}
	for i := len(rows) + 1; i <= len(c.edges.beside); i++ {
		d.line(c.edges.at(i), "")
	}
	for _, drawn := range c.edges.after {
		d.line(drawn, "")
	}
	if err := d.w.Flush(); err != nil {
		return fmt.Errorf("draw graph: %w", err)
	}
	return nil
}

// Skip handles a commit that is not shown. It draws only edges that change columns, so that the edges of the shown
// commits connect as in git.
func (d *Drawer) Skip(c *Commit) error {
	for _, drawn := range slices.Concat(c.edges.beside, c.edges.after) {
		if !quiet(drawn) {
			d.line(drawn, "")
		}
	}
	if err := d.w.Flush(); err != nil {
		return fmt.Errorf("draw graph: %w", err)
	}
	return nil
}

// line writes one line with its edges. Vertical edges of neighbouring lines connect.
func (d *Drawer) line(drawn, text string) {
	joined := strings.ReplaceAll(drawn, "|", "│")
	if text == "" {
		joined = strings.TrimRight(joined, " ")
	}
	_, _ = d.w.WriteString(joined) // the buffer returns its first error in Flush
	_, _ = d.w.WriteString(text)
	_ = d.w.WriteByte('\n')
}

// Limits of the drawing in cells.
const (
	leastSubject = 24 // below this width a subject is not shortened in favour of the author
	mostAuthor   = 20
	leastFiles   = 12
)

// head draws the line of the commit: id, decoration and subject on the left, author and age on the right.
func (d *Drawer) head(c *Commit) {
	if c.ID.IsZero() {
		d.line(c.edges.commit, d.paint(dim, c.Subject))
		return
	}
	room := d.style.width() - len(c.edges.commit) - len(c.Short) - 1
	when := numbers.Age(c.Time, d.style.Now)
	right := cells.Cut(cells.Safe(c.Author), mostAuthor) + ", " + when
	if room-cells.Width(right)-2 < leastSubject {
		right = when
	}
	left := room - cells.Width(right) - 2
	if left < leastSubject {
		right, left = "", max(room, 0)
	}
	subject := cells.Safe(c.Subject)
	names := refNames(c.Refs, left-cells.Width(subject), left/2)
	if d.style.Whole {
		names = refNames(c.Refs, math.MaxInt, math.MaxInt)
		left = max(left, cells.Width(names)+cells.Width(subject))
	}
	subject = cells.Cut(subject, left-cells.Width(names))
	if subject == "" {
		names = strings.TrimSuffix(names, " ")
	}
	gap := ""
	if right != "" {
		gap = strings.Repeat(" ", left-cells.Width(names)-cells.Width(subject)+2)
	}
	d.line(c.edges.commit, d.paint(hashColor, c.Short)+" "+d.paint(refColor, names)+subject+gap+d.paint(dim, right))
}

// refNames lists as many names of a commit as fit into `room`, and the number of those left out. The first name is
// shortened to fit into `room`, or into `most` cells if that is more.
func refNames(list []string, room, most int) string {
	around, text := len("() "), ""
	if len(list) > 1 {
		around += len(", +99")
	}
	for i, name := range list {
		name = cells.Safe(name)
		switch {
		case i == 0:
			text = cells.Cut(name, max(most, room-around))
		case cells.Width(text)+len(", ")+cells.Width(name)+around > room:
			return "(" + text + ", +" + strconv.Itoa(len(list)-i) + ") "
		default:
			text += ", " + name
		}
	}
	if text == "" {
		return ""
	}
	return "(" + text + ") "
}

// rows returns the lines below a commit. There are none if only people wrote, because the author is already shown.
func (d *Drawer) rows(c *Commit) []string {
	shown := together(c.Contributors)
	if len(shown) == 1 && shown[0].Kind == events.OwnerHuman {
		return nil
	}
	widest := 0
	labels := make([]string, len(shown))
	for i := range shown {
		labels[i] = d.label(&shown[i])
		widest = max(widest, cells.Width(labels[i]))
	}
	room := d.style.width() - len(c.edges.pad)
	widest = min(widest, max(room/2, leastFiles))
	rows := make([]string, len(shown))
	parts := make([]int, len(shown))
	for i := range shown {
		parts[i] = shown[i].Lines
	}
	share := numbers.Percents(parts, c.Added)
	for i := range shown {
		sign := " ├ "
		if i == len(shown)-1 {
			sign = " └ "
		}
		label := cells.Fit(labels[i], widest)
		rows[i] = d.paint(dim, sign) + d.row(&shown[i], i == 0, label, share[i], room-cells.Width(sign))
	}
	return rows
}

// `together` merges contributors that have the same prompt and different models, because models are not shown.
func together(list []Contributor) []Contributor {
	var out []Contributor
	for _, c := range list {
		same := slices.IndexFunc(out, func(have Contributor) bool {
			return c.Trace != "" && have.Trace == c.Trace && have.Prompt == c.Prompt
		})
		if same < 0 {
			out = append(out, c)
			continue
		}
		have := &out[same]
		have.Lines += c.Lines
		have.Files = slices.Concat(have.Files, c.Files)
		have.mergeFiles()
	}
	return out
}

// row returns the line of a contributor: its files, and its share of the added lines.
func (d *Drawer) row(who *Contributor, first bool, label, share string, room int) string {
	if first {
		share += ofAdded
	}
	const gap = 2
	left := room - cells.Width(label) - gap
	if column := len("100 %"+ofAdded) + gap; left-column >= leastFiles && share != "" {
		left -= column
	} else {
		share = ""
	}
	files := fileList(who.Files, left)
	if d.style.Whole {
		files = fileList(who.Files, math.MaxInt)
		left = max(left, cells.Width(files))
	}
	text := d.paint(d.colorOf(who), label) + "  " + files
	if share == "" {
		return strings.TrimRight(text, " ")
	}
	return text + strings.Repeat(" ", left-cells.Width(files)+gap) + d.paint(dim, share)
}

const ofAdded = " of added"

// label returns the name of a contributor, such as "4f2a#3 claude-code".
func (d *Drawer) label(c *Contributor) string {
	switch {
	case c.Kind == events.OwnerHuman:
		return "people"
	case !c.Kind.Known():
		return string(c.Kind)
	case c.Trace != "":
		id := d.style.short(c.Trace)
		if c.Prompt > 0 {
			id += "#" + strconv.Itoa(c.Prompt)
		}
		return cells.Safe(id + " " + c.Agent)
	case len(c.Candidates) == 0:
		return "an agent"
	}
	var ids []string
	for _, one := range c.Candidates {
		ids = append(ids, d.style.short(one.Trace))
	}
	return cells.Safe(strings.Join(ids, " or "))
}

// fileList lists as many files with their lines as fit, and the number of those left out.
func fileList(files []FileLines, room int) string {
	text := ""
	for i, f := range files {
		plus := " +" + strconv.Itoa(f.Lines)
		rest := ""
		if left := len(files) - i - 1; left > 0 {
			rest = "  and " + strconv.Itoa(left) + " more"
		}
		item := cells.Safe(f.Path)
		if i == 0 {
			item = cells.CutLeft(item, max(room-len(plus)-len(rest), leastFiles/2))
		} else {
			item = "  " + item
		}
		item += plus
		if i > 0 && cells.Width(text)+cells.Width(item)+len(rest) > room {
			text += "  and " + strconv.Itoa(len(files)-i) + " more"
			break
		}
		text += item
	}
	return cells.Cut(text, room)
}

func (d *Drawer) colorOf(c *Contributor) string {
	if c.Trace == "" || d.style.TraceColor == nil {
		return dim
	}
	return cells.Shade(d.style.TraceColor(c.Trace))
}

func (d *Drawer) paint(color, text string) string {
	if !d.style.Color || strings.TrimSpace(text) == "" {
		return text
	}
	return color + text + reset
}

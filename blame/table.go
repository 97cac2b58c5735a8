package blame

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/internal/cells"
)

// table draws commit, owner, date and line number before each line. It omits empty columns.
func (p *painter) table(lines []Annotated) {
	limit := p.measure(lines)
	var row strings.Builder
	var before *gitblame.Commit
	for i := range lines {
		l := &lines[i]
		paint := p.paintFor(l, before)
		before = l.Commit
		row.Reset()
		row.WriteString(paint.quiet(p.position(l)))
		if p.widths.owner > 0 {
			row.WriteString("  " + paint.owner(cells.Fit(p.owner(l, limit), p.widths.owner)))
		}
		row.WriteString(paint.quiet(p.when(l)))
		row.WriteString(" " + paint.bar(bar))
		p.write(paint.row(row.String()), " ", p.content(&l.Line), "\n")
	}
}

// position draws a line's place in its commit: id, score, file, line number.
func (p *painter) position(l *Annotated) string {
	sign := p.sign(&l.Line)
	cell := strings.Repeat(" ", p.widths.sign-len(sign)) + sign + p.hash(l.Commit)
	if p.widths.score > 0 {
		cell += fmt.Sprintf(" %*s", p.widths.score, l.Score)
	}
	if p.cols.ShowName {
		cell += "  " + cells.Fit(p.foreign(l.OrigPath), p.widths.name)
	}
	if p.cols.ShowNumber {
		cell += fmt.Sprintf(" %*d", p.widths.number, l.OrigLine)
	}
	return cell
}

// `when` draws the cells between owner and text: the sign of doubt, the date, the line number.
func (p *painter) when(l *Annotated) string {
	cell := ""
	if p.widths.doubt > 0 {
		cell += " " + cells.Fit(p.doubt(l), p.widths.doubt)
	}
	if p.widths.date > 0 {
		if cell == "" {
			cell = " "
		}
		cell += " " + cells.Fit(p.date(l), p.widths.date)
	}
	return cell + fmt.Sprintf(" %*d", p.widths.line, l.FinalLine)
}

// measure computes the widths of the columns, and returns the maximum width of an owner.
func (p *painter) measure(lines []Annotated) int {
	w := &p.widths
	lastLine, lastNumber := 0, 0
	for i := range lines {
		l := &lines[i]
		w.sign = max(w.sign, len(p.sign(&l.Line)))
		w.score = max(w.score, len(l.Score))
		w.doubt = max(w.doubt, len(p.doubt(l)))
		if p.cols.ShowName {
			w.name = max(w.name, cells.Width(p.foreign(l.OrigPath)))
		}
		if !p.cols.NoAuthor {
			w.date = max(w.date, cells.Width(p.date(l)))
		}
		lastLine, lastNumber = max(lastLine, l.FinalLine), max(lastNumber, l.OrigLine)
	}
	w.line, w.number = len(strconv.Itoa(lastLine)), len(strconv.Itoa(lastNumber))
	limit := p.ownerLimit()
	for i := range lines {
		l := &lines[i]
		if i > 0 && l.Owner == lines[i-1].Owner && l.Commit == lines[i-1].Commit {
			continue
		}
		w.owner = max(w.owner, cells.Width(p.owner(l, limit)))
	}
	if p.cols.NoAuthor && w.owner == 0 { // then the output shows no owners and no doubts
		w.doubt = 0
	}
	return limit
}

// ownerLimit leaves most of the screen to the text, but gives the owner enough cells to be recognised.
func (p *painter) ownerLimit() int {
	const least, most, text = 18, 28, 28
	w := &p.widths
	taken := w.sign + p.digits + 2 + 2 + w.doubt + w.date + 1 + w.line + 3
	return min(most, max(least, p.style.width()-taken-text))
}

// date returns the cell for the author date, in the requested form.
func (p *painter) date(l *Annotated) string {
	if !l.Commit.Committed() {
		return notCommitted
	}
	return oneLine(l.Date)
}

// annotate draws lines in the form of git-annotate(1): fields separated by tabs, for programs.
func (p *painter) annotate(lines []Annotated) {
	for i := range lines {
		l := &lines[i]
		id := l.Commit.ID.String()
		owner := p.owner(l, 1<<10)
		if !l.Commit.Committed() && !l.Owner.ByAI() {
			owner = l.Commit.Author.Name
		}
		p.write(id[:min(p.digits, len(id))], fmt.Sprintf("\t(%10s\t%10s\t%d)", owner, p.date(l), l.FinalLine))
		p.write(p.content(&l.Line), "\n")
	}
}

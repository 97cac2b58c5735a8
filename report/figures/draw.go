package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// signs are the signs of bars, by kind of owner.
var signs = map[string]struct{ text, color string }{
	"ai": {"█", cells.PlusColor}, "human": {"▒", ""}, "older": {"·", cells.Faint}, "unknown": {"░", cells.Faint},
}

// Sign returns the sign for a kind of owner.
func Sign(kind string) string { return signs[kind].text }

// barLegend explains the signs of a bar.
func barLegend(parts []numbers.Part) string {
	var out []string
	for _, p := range parts {
		out = append(out, signs[p.Kind].text+" "+p.Word)
	}
	return strings.Join(out, "  ")
}

// Draw writes the figures in tables.
func (s *Table) Draw(p cells.Pen, width int) string {
	var b strings.Builder
	column := min(max(width/6, len(" to cache")), 10)
	parts := s.Lines.Owned().Parts()
	name := max(width-(len(parts)+1)*column, leastName+2)
	row := func(color, label string, figures ...string) {
		line := cells.Safe(label)
		if len(figures) > 0 && cells.Width(line) > name { // a long name is not cut: its figures are on the next line
			b.WriteString(p.Paint(color, line) + "\n")
			line = ""
		}
		line = cells.Pad(line, name)
		for _, f := range figures {
			line += fmt.Sprintf("%*s", column, f)
		}
		b.WriteString(p.Paint(color, strings.TrimRight(line, " ")) + "\n")
	}
	counts := func(l stats.Lines) []string {
		out := []string{numbers.Thousands(l.Added)}
		for _, n := range l.Owned().By(parts) {
			out = append(out, numbers.Thousands(n))
		}
		return out
	}
	head := []string{"all"}
	for _, p := range parts {
		head = append(head, p.Word)
	}
	what, in := "lines added", "in "
	if s.Now {
		what, in = "lines now", "of "
	}
	row(cells.Faint, what, head...)
	row(cells.Bold, in+numbers.Count(s.Lines.Commits, "commit"), counts(s.Lines)...)
	if l := s.Lines; l.Added > 0 {
		row(cells.Faint, "", append([]string{""}, numbers.Percents(l.Owned().Lines(), l.Added)...)...)
	}
	if n := s.Lines.Disputed; n > 0 {
		row(cells.Faint, "clones disagree about", numbers.Thousands(n))
	}
	if len(s.Agents) > 0 {
		b.WriteByte('\n')
		row(cells.Faint, "lines by agents")
	}
	for _, agent := range s.Agents {
		label := agent.Agent
		if label == "" {
			label = "one of several"
		}
		if agent.Conversations > 0 {
			label += ", " + numbers.Count(agent.Conversations, "conversation")
		}
		row("", "  "+label, numbers.Thousands(agent.Lines))
	}
	if len(s.Authors) > 0 {
		b.WriteByte('\n')
		row(cells.Faint, "in commits of", head...)
	}
	for _, author := range s.namedAuthors() {
		row("", "  "+author.Author+", "+numbers.Count(author.Commits, "commit"), counts(author.Lines)...)
	}
	c := s.Conversations
	fmt.Fprintf(&b, "\n%s", numbers.Count(c.Count, "conversation"))
	if c.Count == 0 {
		return b.String() + "\n"
	}
	b.WriteString(": " + numbers.Count(c.Prompts, "prompt"))
	if c.Known {
		b.WriteString(", " + numbers.Count(c.Calls, "call"))
	}
	if c.Recorded < c.Count {
		fmt.Fprintf(&b, "; %s with a record", numbers.Thousands(c.Recorded))
	}
	if c.Recorded > 0 {
		b.WriteString("\n" + CostsText(&s.Cost) + "\n" + WastesText(s.Waste) + "\n")
		name = max(width-4*column, leastName+2)
		row(cells.Faint, "tokens", "in", "out", "cached", "to cache")
		figures := func(t Tokens) []string {
			return []string{numbers.Short(t.Input), numbers.Short(t.Output), numbers.Short(t.CacheRead),
				numbers.Short(t.CacheWrite)}
		}
		row(cells.Bold, "all models", figures(s.Tokens)...)
		for _, m := range s.Models {
			label := m.Model
			if label == "" {
				label = "model not known"
			}
			row("", "  "+label+", "+numbers.Count(m.Answers, "answer"), figures(m.Tokens)...)
		}
		return b.String()
	}
	return b.String() + "\n"
}

// mostAuthors limits the authors with a row of their own. The others share one row.
const mostAuthors = 10

// namedAuthors returns the authors with the most lines, and one row for the others. It adds addresses if two authors
// have the same name.
func (s *Table) namedAuthors() []AuthorLines {
	alike := map[string]int{}
	for _, a := range s.Authors {
		alike[a.Author]++
	}
	var out []AuthorLines
	rest := AuthorLines{}
	for i, a := range s.Authors {
		if i >= mostAuthors && len(s.Authors) > mostAuthors+1 {
			rest.Join(a.Lines)
			continue
		}
		if alike[a.Author] > 1 {
			a.Author += " <" + a.Mail + ">"
		}
		out = append(out, a)
	}
	if len(out) < len(s.Authors) {
		rest.Author = fmt.Sprintf("%d others", len(s.Authors)-len(out))
		out = append(out, rest)
	}
	return out
}

// DrawGroups draws the groups, one a line. It leaves out columns that do not fit.
func (s *Table) DrawGroups(p cells.Pen, width int) string {
	var b strings.Builder
	t := s.table()
	room := width
	if s.Whole {
		room = math.MaxInt32
	}
	t.fit(room)
	head := t.line(t.head)
	legend := ""
	if width-cells.Width(head)-1 >= leastBar && s.Lines.Added > 0 {
		legend = "   " + barLegend(s.Lines.Owned().Parts())
	}
	in := " added in "
	if s.Now {
		in = " of "
	}
	b.WriteString(p.Paint(cells.Bold, numbers.Count(s.Lines.Added, "line")+in+numbers.Count(s.Lines.Commits, "commit")) +
		p.Paint(cells.Faint, legend) + "\n\n")
	b.WriteString(p.Paint(cells.Faint, strings.TrimRight(head, " ")) + "\n")
	widest := 0
	for i := range s.Groups {
		widest = max(widest, s.Groups[i].Added)
	}
	for i, row := range t.rows {
		color := ""
		if s.Groups[i].Contributor != nil && !s.Groups[i].Contributor.Known() {
			color = cells.Faint
		}
		line := t.line(row)
		bar := s.bar(&s.Groups[i], p, widest, width-cells.Width(line)-1)
		b.WriteString(strings.TrimRight(paintIf(p, color, line)+" "+bar, " ") + "\n")
	}
	if len(t.rows) > 1 {
		b.WriteString(p.Paint(cells.Bold, strings.TrimRight(t.line(t.sum), " ")) + "\n")
	}
	if s.Charges() && s.Conversations.Recorded > 0 {
		b.WriteString("\n" + CostsText(&s.Cost) + "\n")
	}
	if (slices.Contains(s.By, stats.File) || slices.Contains(s.By, stats.Function)) && !s.Now {
		b.WriteString("\n" + p.Paint(cells.Faint,
			cells.Fold("added under these names, also again; --now counts the lines of today",
				width)) + "\n")
	}
	return b.String()
}

func paintIf(p cells.Pen, color, text string) string {
	if color == "" {
		return text
	}
	return p.Paint(color, text)
}

// bar draws the lines of a group with the signs of their owners. The largest group fills the space.
func (s *Table) bar(g *Counted, p cells.Pen, widest, room int) string {
	if room < leastBar || s.Lines.Added == 0 {
		return ""
	}
	room = min(room, mostBar)
	length := (g.Added*room + widest - 1) / max(widest, 1)
	out, drawn, sum := "", 0, 0
	for _, part := range g.Owned().Parts() {
		sum += part.Lines
		until := (sum*length + g.Added/2) / max(g.Added, 1)
		out += paintIf(p, signs[part.Kind].color, strings.Repeat(signs[part.Kind].text, until-drawn))
		drawn = until
	}
	return out
}

// groupTable holds the groups as text, with the most important columns first.
type groupTable struct {
	names   int // number of columns with names
	head    []string
	rows    [][]string
	sum     []string
	widths  []int
	dropped int // number of columns that do not fit
}

func (s *Table) table() *groupTable {
	t := &groupTable{names: len(s.By)}
	var column func(head, sum string, cell func(g *Counted) string)
	t.rows = make([][]string, len(s.Groups))
	column = func(head, sum string, cell func(g *Counted) string) {
		t.head, t.sum = append(t.head, head), append(t.sum, sum)
		for i := range s.Groups {
			t.rows[i] = append(t.rows[i], cell(&s.Groups[i]))
		}
	}
	for i, d := range s.By {
		sum := ""
		if i == 0 {
			sum = "all"
		}
		column(string(d), sum, func(g *Counted) string { return groupName(d, g) })
	}
	column("lines", numbers.Thousands(s.Lines.Added),
		func(g *Counted) string { return numbers.Thousands(g.Added) })
	share := func() {
		column("share", percentOf(s.Lines.Added, s.Lines.Added), func(g *Counted) string {
			if g.Added > 0 && (g.Percent == 0 || g.Added*200 < s.Lines.Added) { // Percent may be rounded up for the sum
				return "<1 %"
			}
			return fmt.Sprintf("%d %%", g.Percent)
		})
	}
	if !s.Survival {
		share()
	}
	s.acceptance(column)
	if s.Survival {
		for k, days := range stats.Ages {
			written, alive := 0, 0
			for i := range s.Groups {
				written, alive = written+s.Groups[i].Survival[k].Written, alive+s.Groups[i].Survival[k].Alive
			}
			column(fmt.Sprintf("%d d", days), percentOf(alive, written), func(g *Counted) string {
				return percentOf(g.Survival[k].Alive, g.Survival[k].Written)
			})
		}
		share()
	}
	if s.mixed() {
		parts := s.Lines.Owned().Parts()
		for k, part := range parts {
			column(part.Word, kindShare(s.Lines.Owned().Lines(), k), func(g *Counted) string {
				return kindShare(g.Owned().By(parts), k)
			})
		}
	}
	if s.Charges() && s.Cost.Priced > 0 {
		column("cost", numbers.Dollars(s.Cost.USD), func(g *Counted) string {
			if g.CostUSD == nil {
				return "–"
			}
			return numbers.Dollars(*g.CostUSD)
		})
	}
	return t
}

// acceptance adds columns about what became of the agents' lines that hooks saw.
func (s *Table) acceptance(column func(head, sum string, cell func(g *Counted) string)) {
	var all Accepted
	for i := range s.Groups {
		if a := s.Groups[i].Accepted; a != nil {
			all = Accepted{Written: all.Written + a.Written, Committed: all.Committed + a.Committed,
				Rewritten: all.Rewritten + a.Rewritten}
		}
	}
	if all.Written == 0 {
		return
	}
	told := func(text func(a *Accepted) string) func(g *Counted) string {
		return func(g *Counted) string {
			if g.Accepted == nil {
				return "–"
			}
			return text(g.Accepted)
		}
	}
	rate := func(a *Accepted) string { return percentOf(a.Committed, a.Written) }
	rewritten := func(a *Accepted) string { return numbers.Thousands(a.Rewritten) }
	column("accepted", rate(&all), told(rate))
	column("rewritten", rewritten(&all), told(rewritten))
}

// mixed reports whether the lines of a group may have different kinds of owners.
func (s *Table) mixed() bool {
	for _, d := range s.By {
		if d.Owns() {
			return false
		}
	}
	return true
}

// percentOf returns a single share in percent; the share of nothing is unknown.
func percentOf(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return strings.TrimSpace(numbers.Percents([]int{part}, whole)[0])
}

// kindShare returns one of several parts of a whole, in percent.
func kindShare(parts []int, k int) string {
	whole := 0
	for _, n := range parts {
		whole += n
	}
	if whole == 0 {
		return "–"
	}
	return strings.TrimSpace(numbers.Percents(parts, whole)[k])
}

func groupName(d stats.Dimension, g *Counted) string {
	text := g.Key[d]
	switch {
	case d.Owns() && g.Contributor != nil && *g.Contributor == events.OwnerHuman:
		return "people"
	case d.Owns() && g.Contributor != nil && !g.Contributor.Known():
		return string(g.Group.Kind)
	case text == nil && d == stats.Agent:
		return "one of several"
	case text == nil && d == stats.Model: // this row also has the costs of conversations with several models
		return "several or not known"
	case text == nil:
		return "not known"
	case d == stats.Model:
		return cells.Safe(view.ModelName(*text))
	}
	return cells.Safe(*text)
}

// Widths in the table of groups, in cells.
const (
	leastBar  = 8
	mostBar   = 24
	leastName = 10
	columnGap = 2
)

// fit drops columns from the end until the names have room. The names get the remaining width.
func (t *groupTable) fit(width int) {
	t.widths = make([]int, len(t.head))
	for i := range t.head {
		t.widths[i] = max(cells.Width(t.head[i]), cells.Width(t.sum[i]))
		for _, row := range t.rows {
			t.widths[i] = max(t.widths[i], cells.Width(row[i]))
		}
	}
	figures := func() int {
		sum := 0
		for _, w := range t.widths[t.names : len(t.widths)-t.dropped] {
			sum += columnGap + w
		}
		return sum
	}
	need := 0
	for _, w := range t.widths[:t.names] {
		need += min(w, leastName) + columnGap
	}
	for len(t.widths)-t.dropped > t.names+1 && need-columnGap+figures() > width {
		t.dropped++
	}
	for room := width - figures() - columnGap*(t.names-1); ; {
		sum, widest := 0, 0
		for i, w := range t.widths[:t.names] {
			if sum += w; w > t.widths[widest] {
				widest = i
			}
		}
		if sum <= room || t.widths[widest] <= 1 {
			return
		}
		t.widths[widest]--
	}
}

// line returns a row of the table: names aligned to the left, figures to the right.
func (t *groupTable) line(row []string) string {
	out := ""
	for i := range len(row) - t.dropped {
		switch w := t.widths[i]; {
		case i == 0:
			out = cells.Fit(row[i], w)
		case i < t.names:
			out += strings.Repeat(" ", columnGap) + cells.Fit(row[i], w)
		default:
			out += strings.Repeat(" ", columnGap+w-cells.Width(row[i])) + row[i]
		}
	}
	return out
}

package figures

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/cells/page"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/report/stats"
)

// Table holds the counted figures, which can be written in several forms.
type Table struct {
	*Sums

	Whole bool // for a program: names are not cut, and no column is left out
}

// CostsText returns the cost of the conversations, the part that does not come from the price table, and the date of
// the prices.
func CostsText(c *Costs) string {
	if c.Priced == 0 {
		return "cost unknown: neither prices nor clients give it (trace.prices)"
	}
	text := "cost " + numbers.Dollars(c.USD)
	var parts []string
	if c.ByClient > 0 {
		parts = append(parts, numbers.Dollars(c.ClientUSD)+" of it as clients say")
	}
	if c.Unknown > 0 {
		parts = append(parts, "that of "+numbers.Count(c.Unknown, "conversation")+" is not known")
	}
	switch n := len(c.PricesAsOf); {
	case n == 1:
		parts = append(parts, "prices of "+c.PricesAsOf[0])
	case n > 1:
		parts = append(parts, "prices of "+c.PricesAsOf[0]+" to "+c.PricesAsOf[n-1])
	}
	return strings.Join(append([]string{text}, parts...), "; ")
}

func NewTable(named []string, by stats.By) *Table {
	return &Table{Sums: New(named, by)}
}

// WriteCSV writes the groups in the form of RFC 4180. An apostrophe begins a cell that a spreadsheet would take for a
// formula.
func (s *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	var head []string
	for _, d := range s.By {
		head = append(head, string(d))
	}
	head = append(head, "contributor", "commits", "added", "ai", "human", "unknown", "percent", "conversations",
		"cost_usd")
	if s.Survival {
		for _, days := range stats.Ages {
			head = append(head, fmt.Sprintf("written_%dd", days), fmt.Sprintf("alive_%dd", days))
		}
	}
	head = append(head, "older", "written", "committed", "rewritten")
	_ = out.Write(head) // Error returns the writer's first error
	for i := range s.Groups {
		g := &s.Groups[i]
		var row []string
		for _, d := range s.By {
			row = append(row, spreadsheetText(g.Key[d]))
		}
		kind, cost := "", ""
		if g.Contributor != nil {
			kind = string(*g.Contributor)
		}
		if g.CostUSD != nil {
			cost = strconv.FormatFloat(*g.CostUSD, 'f', 6, 64)
		}
		row = append(row, kind)
		for _, n := range []int{g.Commits, g.Added, g.AI, g.Human, g.Unknown, g.Percent, g.Conversations} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, cost)
		for _, a := range g.Survival {
			row = append(row, strconv.Itoa(a.Written), strconv.Itoa(a.Alive))
		}
		row = append(row, strconv.Itoa(g.Older))
		if a := g.Accepted; a != nil {
			row = append(row, strconv.Itoa(a.Written), strconv.Itoa(a.Committed), strconv.Itoa(a.Rewritten))
		} else {
			row = append(row, "", "", "")
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// spreadsheetText changes foreign text so that a spreadsheet does not take it for a formula.
func spreadsheetText(text *string) string {
	switch {
	case text == nil:
		return ""
	case *text != "" && strings.ContainsRune("=+-@\t\r", rune((*text)[0])):
		return "'" + *text
	}
	return *text
}

// Markdown returns the table of the groups, with all its columns. Names are foreign text.
func (s *Table) Markdown() string {
	t := s.table()
	var b strings.Builder
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row(t.head)
	rule := slices.Repeat([]string{"---:"}, len(t.head))
	for i := range t.names {
		rule[i] = "---"
	}
	row(rule)
	for i, cells := range t.rows {
		cells = slices.Clone(cells)
		for k, d := range s.By {
			if s.Groups[i].Key[d] != nil {
				cells[k] = page.Cell(cells[k])
			}
		}
		row(cells)
	}
	if len(t.rows) > 1 {
		row(t.sum)
	}
	return b.String()
}

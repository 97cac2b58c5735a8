package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/cells/page"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/report/stats"
)

// statsAsk holds the options that group and show lines.
type statsAsk struct {
	by       stats.By
	grouped  bool // the user named the groups
	survival bool
	now      string // the revision whose lines are counted; empty: count the lines that commits added
	format   string
}

var statsFormats = []string{"table", "json", "csv", "markdown"}

func askStats(c *call) (*statsAsk, error) {
	ask := &statsAsk{survival: c.Bool("survival"), format: c.String("format")}
	for _, name := range []string{"json", "markdown"} {
		if !c.Bool(name) {
			continue
		}
		if ask.format != name && (c.IsSet("format") || ask.format != "table") {
			return nil, exit.Fail(exit.Misuse, fmt.Errorf("--%s and --format=%s exclude each other", name, ask.format), "")
		}
		ask.format = name
	}
	if !slices.Contains(statsFormats, ask.format) {
		return nil, exit.NoSuch("format", ask.format, statsFormats)
	}
	for _, list := range c.StringSlice("by") {
		for name := range strings.SplitSeq(list, ",") {
			d := stats.Dimension(name)
			if !slices.Contains(stats.Dimensions, d) {
				return nil, exit.NoSuch("grouping", name, dimensions())
			}
			if !slices.Contains(ask.by.Dimensions, d) {
				ask.by.Dimensions = append(ask.by.Dimensions, d)
			}
		}
	}
	if ask.by.Depth = c.Int("depth"); ask.by.Depth < 1 {
		return nil, exit.Usage("--depth takes a number of 1 or more, not %d", ask.by.Depth)
	}
	if ask.survival && ask.by.InFunctions() {
		return nil, exit.Usage("--survival and --by function exclude each other")
	}
	ask.grouped = len(ask.by.Dimensions) > 0 || ask.survival
	if c.Bool("waste") && (ask.grouped || c.IsSet("now") || ask.format == "csv" || ask.format == "markdown") {
		return nil, exit.Usage("--waste needs a table or --json, and excludes --by, --now and --survival")
	}
	if len(ask.by.Dimensions) == 0 {
		ask.by.Dimensions = []stats.Dimension{stats.Agent}
	}
	return ask, nil
}

// dimensions returns the names of the dimensions.
func dimensions() []string {
	names := make([]string, len(stats.Dimensions))
	for i, d := range stats.Dimensions {
		names[i] = string(d)
	}
	return names
}

// writeCSV writes the groups in the form of RFC 4180. An apostrophe begins a cell that a spreadsheet would take for a
// formula.
func (s *statistics) writeCSV(w io.Writer) error {
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

// markdown returns the table of the groups, with all its columns. Names are foreign text.
func (s *statistics) markdown() string {
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

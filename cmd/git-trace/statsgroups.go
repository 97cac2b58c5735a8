package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/cells/page"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/stats"
	"github.com/git-trace/git-trace/view"
)

// statsAsk says how to group and show lines.
type statsAsk struct {
	by       stats.By
	grouped  bool // groups are what was asked for
	survival bool
	now      string // the revision whose lines are counted as they are; empty to count what commits added
	format   string
}

var statsFormats = []string{"table", "json", "csv", "markdown"}

func askStats(c *cli.Context) (*statsAsk, error) {
	ask := &statsAsk{survival: c.Bool("survival"), format: c.String("format")}
	for _, name := range []string{"json", "markdown"} {
		if !c.Bool(name) {
			continue
		}
		if ask.format != name && (c.IsSet("format") || ask.format != "table") {
			return nil, fail(exitUsage, fmt.Errorf("--%s and --format=%s exclude each other", name, ask.format), "")
		}
		ask.format = name
	}
	if !slices.Contains(statsFormats, ask.format) {
		return nil, noSuch("form", ask.format, statsFormats)
	}
	for _, list := range c.StringSlice("by") {
		for name := range strings.SplitSeq(list, ",") {
			d := stats.Dimension(name)
			if !slices.Contains(stats.Dimensions, d) {
				return nil, noSuch("grouping", name, dimensions())
			}
			if !slices.Contains(ask.by.Dimensions, d) {
				ask.by.Dimensions = append(ask.by.Dimensions, d)
			}
		}
	}
	if ask.by.Depth = c.Int("depth"); ask.by.Depth < 1 {
		return nil, usage("--depth takes a number of 1 or more, not %d", ask.by.Depth)
	}
	ask.grouped = len(ask.by.Dimensions) > 0 || ask.survival
	if len(ask.by.Dimensions) == 0 {
		ask.by.Dimensions = []stats.Dimension{stats.Agent}
	}
	return ask, nil
}

// dimensions returns the names of what lines can be grouped by.
func dimensions() []string {
	names := make([]string, len(stats.Dimensions))
	for i, d := range stats.Dimensions {
		names[i] = string(d)
	}
	return names
}

// statsGroup is a group of lines in JSON.
type statsGroup struct {
	Key         map[stats.Dimension]*string `json:"key"`
	Contributor *events.OwnerKind           `json:"contributor"` // null where the lines are anybody's
	stats.Lines
	Percent       int           `json:"percent"` // of all lines; those of all groups add up to 100
	Conversations int           `json:"conversations"`
	Tokens        *tokens       `json:"tokens"`   // null where they are not known, or told by no such group
	CostUSD       *float64      `json:"cost_usd"` // null where it is not known, or told by no such group
	Survival      []aliveAtAges `json:"survival"` // null where nobody asked

	group *stats.Group
}

// aliveAtAges counts the lines that lived, of the lines that are old enough.
type aliveAtAges struct {
	Days    int `json:"days"`
	Written int `json:"written"`
	Alive   int `json:"alive"`
}

// charges holds the tokens and costs of the conversations of a group.
type charges struct {
	tokens tokens
	usd    *float64 // nil where it is known of none
}

func (c *charges) add(u *view.Usage) {
	c.tokens.add(tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite})
	if u.CostUSD != nil {
		sum := *u.CostUSD
		if c.usd != nil {
			sum += *c.usd
		}
		c.usd = &sum
	}
}

// charges reports whether conversations, and what they cost, are of one group each.
func (s *statistics) charges() bool {
	return !slices.ContainsFunc(s.groups.By.Dimensions, func(d stats.Dimension) bool {
		return !d.Owns() && !d.Times()
	})
}

// charge puts a conversation and what it cost into its group. One with several models is of none of them.
func (s *statistics) charge(c *view.Conversation) {
	if !s.charges() {
		return
	}
	var key stats.Key
	kind := events.OwnerKind("")
	for _, d := range s.groups.By.Dimensions {
		text := ""
		switch d {
		case stats.Agent:
			text, kind = c.Agent, events.OwnerAI
		case stats.Model:
			if kind = events.OwnerAI; len(c.Models) == 1 {
				text = c.Models[0]
			}
		case stats.Day:
			text = stats.DayOf(c.Last)
		case stats.Week:
			text = stats.WeekOf(c.Last)
		case stats.Month:
			text = stats.MonthOf(c.Last)
		case stats.Hour:
			text = stats.HourOf(c.Last)
		}
		if text == "" {
			key = append(key, nil)
		} else {
			key = append(key, &text)
		}
	}
	group := s.groups.Of(key, kind)
	group.Traces[c.Trace] = true
	if c.Usage == nil {
		return
	}
	if s.charged == nil {
		s.charged = map[*stats.Group]*charges{}
	}
	if s.charged[group] == nil {
		s.charged[group] = &charges{}
	}
	s.charged[group].add(c.Usage)
}

// group makes the groups that are shown.
func (s *statistics) group() {
	s.groups.Sort()
	s.By = s.groups.By.Dimensions
	parts := make([]int, len(s.groups.List))
	for i, g := range s.groups.List {
		parts[i] = g.Lines.Added
	}
	percents := numbers.Shares(parts, s.Lines.Added)
	for i, g := range s.groups.List {
		one := statsGroup{Key: map[stats.Dimension]*string{}, Lines: g.Lines, Percent: percents[i],
			Conversations: len(g.Traces), group: g}
		for k, d := range s.By {
			one.Key[d] = g.Key[k]
		}
		if g.Kind != "" {
			kind := g.Kind.Stored()
			one.Contributor = &kind
		}
		if spent := s.charged[g]; spent != nil {
			one.Tokens, one.CostUSD = &spent.tokens, spent.usd
		}
		if s.survival {
			for k, days := range stats.Ages {
				one.Survival = append(one.Survival, aliveAtAges{days, g.Alive[k].Written, g.Alive[k].Alive})
			}
		}
		s.Groups = append(s.Groups, one)
	}
}

// writeCSV writes the groups as RFC 4180 has it. A cell that a spreadsheet would take for a formula begins with an
// apostrophe.
func (s *statistics) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	var head []string
	for _, d := range s.By {
		head = append(head, string(d))
	}
	head = append(head, "contributor", "commits", "added", "ai", "human", "unknown", "percent", "conversations",
		"cost_usd")
	if s.survival {
		for _, days := range stats.Ages {
			head = append(head, fmt.Sprintf("written_%dd", days), fmt.Sprintf("alive_%dd", days))
		}
	}
	head = append(head, "older")
	_ = out.Write(head) // the writer keeps its first error for Error
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
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// spreadsheetText is foreign text that no spreadsheet takes for a formula.
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

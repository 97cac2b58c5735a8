package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// statsAnswer is the part of git trace stats --json that pages show.
type statsAnswer struct {
	Lines  lineCounts `json:"lines"`
	Agents []struct {
		Agent         string `json:"agent"`
		Conversations int    `json:"conversations"`
		Lines         int    `json:"lines"`
	} `json:"agents"`
	Authors []struct {
		Author string `json:"author"`
		lineCounts
	} `json:"authors"`
	Conversations struct {
		Count, Recorded, Prompts, Calls, Steps int
	} `json:"conversations"`
	Tokens struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cache_read"`
		CacheWrite int64 `json:"cache_write"`
	} `json:"tokens"`
	Cost struct {
		USD     float64 `json:"usd"`
		Priced  int     `json:"priced"`
		Unknown int     `json:"unknown"`
	} `json:"cost"`
	Groups []statsGroup `json:"groups"`
}

type statsGroup struct {
	Key map[string]*string `json:"key"`
	lineCounts
	Contributor   *string  `json:"contributor"`
	Survival      []lived  `json:"survival"`
	Conversations int      `json:"conversations"`
	Cost          *float64 `json:"cost_usd"`
}

type statsBody struct {
	statsAnswer
	Since string
	Range string
	Wants string // the one grouping that is asked for; empty for the usual ones
	Times timeChart
	Lives lifeChart
	Hours hourChart
	By    []statsTable
}

// statsTable is the lines by one thing.
type statsTable struct {
	Name   string
	Groups []statsGroup
	key    string
}

// Label names a row.
func (t statsTable) Label(g statsGroup) string {
	if day, hour, is := hourOf(records.Value(g.Key[t.key])); is && t.key == "hour" {
		return hourName(day, hour)
	}
	if text := g.Key[t.key]; text != nil && t.key == "model" {
		return view.ModelName(*text)
	} else if text != nil {
		return *text
	}
	return map[string]string{"agent": "people and unknown", "model": "no model", "language": "other"}[t.key]
}

// timed tells whether the rows are times.
func (t statsTable) timed() bool {
	return slices.Contains([]string{"day", "week", "month", "hour"}, t.key)
}

// Charged tells whether conversations, and what they cost, are of one row each.
func (t statsTable) Charged() bool {
	return (t.key == "agent" || t.key == "model" || t.timed()) &&
		slices.ContainsFunc(t.Groups, func(g statsGroup) bool { return g.Conversations > 0 })
}

// usualTables are the groupings that the page shows unasked, and moreTables those that it shows on demand.
var (
	usualTables = []statsTable{{Name: "Agent", key: "agent"}, {Name: "Model", key: "model"},
		{Name: "Directory", key: "directory"}, {Name: "Language", key: "language"}}
	moreTables = []statsTable{{Name: "Author", key: "author"}, {Name: "File", key: "file"}, {Name: "Day", key: "day"},
		{Name: "Week", key: "week"}, {Name: "Month", key: "month"},
		{Name: "Hour of the week", key: "hour"}}
)

// How many rows a table has beside others, and alone.
const (
	mostGroups     = 20
	mostGroupsOnly = 200
)

// Groupings are the words for what lines can be grouped by.
func (b *statsBody) Groupings() (words []string) {
	for _, t := range slices.Concat(usualTables, moreTables) {
		words = append(words, t.key)
	}
	return words
}

// choose reads what is asked of the page, and gives the tables for it.
func (b *statsBody) choose(q *question) ([]statsTable, error) {
	ask := q.r.URL.Query()
	b.Since, b.Range, b.Wants = ask.Get("since"), ask.Get("range"), ask.Get("by")
	if b.Range != "" {
		if err := noOption(b.Range); err != nil {
			return nil, err
		}
	}
	if b.Wants == "" {
		return slices.Clone(usualTables), nil
	}
	for _, t := range slices.Concat(usualTables, moreTables) {
		if t.key == b.Wants {
			return []statsTable{t}, nil
		}
	}
	return nil, fmt.Errorf("by '%s': %w: one of %s", b.Wants, errBadQuestion, strings.Join(b.Groupings(), ", "))
}

// asked are the arguments for what is asked: the range, or the last months.
func (b *statsBody) asked(q *question, args ...string) []string {
	if since := cmp.Or(b.Since, "6 months ago"); q.still == nil && (b.Since != "" || b.Range == "") {
		args = append(args, "--since="+since)
	}
	if args = q.ranged(args...); b.Range != "" {
		args = append(args, b.Range)
	}
	return args
}

// figures is the page of statistics.
func figures(q *question) (string, string, any, error) {
	body := &statsBody{}
	tables, err := body.choose(q)
	if err != nil {
		return "", "", nil, err
	}
	most := mostGroups
	if body.Wants != "" {
		most = mostGroupsOnly
	}
	answers := make([]statsAnswer, len(tables))
	ask := func(to *statsAnswer, by string) func() error {
		args := body.asked(q, "stats", "--json", "--by="+by)
		return func() error { return q.into(to, args...) }
	}
	by := "week"
	if body.Wants == "day" {
		by = "day"
	}
	asks := []func() error{ask(&body.statsAnswer, by)}
	for i := range tables {
		asks = append(asks, ask(&answers[i], tables[i].key))
	}
	var lives, hours statsAnswer
	asks = append(asks, ask(&hours, "hour"))
	asks = append(asks, func() error {
		ctx, cancel := context.WithTimeout(q.ctx, followTime)
		defer cancel()
		args := []string{"stats", "--json", "--by=agent", "--survival"}
		if args = q.ranged(args...); body.Range != "" {
			args = append(args, body.Range)
		}
		_ = q.answers.into(ctx, &lives, args...)
		return nil // the page is shown without it
	})
	if err := all(asks...); err != nil {
		return "", "", nil, err
	}
	for i := range tables {
		tables[i].Groups = answers[i].Groups
		if !tables[i].timed() { // those stand in their order
			slices.SortStableFunc(tables[i].Groups, func(a, b statsGroup) int { return cmp.Compare(b.Added, a.Added) })
		}
		tables[i].Groups = tables[i].Groups[:min(len(tables[i].Groups), most)]
	}
	body.By = tables
	body.Times, body.Lives, body.Hours = timesOf(body.Groups, by), livesOf(lives.Groups), hoursOf(hours.Groups)
	return "Figures", "stats", body, nil
}

package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	Conversations int      `json:"conversations"`
	Cost          *float64 `json:"cost_usd"`
}

// column is a bar of a chart, in units of its box.
type column struct {
	Label  string
	X      string
	Parts  []columnPart
	Counts lineCounts
}

type columnPart struct{ Kind, Y, Height string }

// Size of the chart of weeks.
const (
	chartWidth, chartHeight = 1000.0, 180.0
	mostColumns             = 80
)

type statsBody struct {
	statsAnswer
	Since   string
	Columns []column
	Width   string // of a column
	Most    int
	By      []statsTable
}

// statsTable is the lines by one thing.
type statsTable struct {
	Name   string
	Groups []statsGroup
	key    string
}

// Label names a row.
func (t statsTable) Label(g statsGroup) string {
	if text := g.Key[t.key]; text != nil {
		return *text
	}
	return map[string]string{"agent": "people and unknown", "model": "no model", "language": "other"}[t.key]
}

// figures is the page of statistics.
func figures(q *question) (string, string, any, error) {
	body := &statsBody{Since: q.r.URL.Query().Get("since")}
	since := body.Since
	if since == "" {
		since = "6 months ago"
	}
	tables := []statsTable{{Name: "Agent", key: "agent"}, {Name: "Model", key: "model"},
		{Name: "Directory", key: "directory"}, {Name: "Language", key: "language"}}
	answers := make([]statsAnswer, len(tables))
	ask := func(to *statsAnswer, by string) func() error {
		args := []string{"stats", "--json", "--by=" + by}
		if q.still == nil {
			args = append(args, "--since="+since)
		}
		return func() error { return q.into(to, q.ranged(args...)...) }
	}
	asks := []func() error{ask(&body.statsAnswer, "week")}
	for i := range tables {
		asks = append(asks, ask(&answers[i], tables[i].key))
	}
	if err := all(asks...); err != nil {
		return "", "", nil, err
	}
	for i := range tables {
		tables[i].Groups = answers[i].Groups
		slices.SortStableFunc(tables[i].Groups, func(a, b statsGroup) int { return cmp.Compare(b.Added, a.Added) })
		tables[i].Groups = tables[i].Groups[:min(len(tables[i].Groups), 20)]
	}
	body.By = tables
	body.chart()
	return "Figures", "stats", body, nil
}

// chart stacks the lines of each week.
func (b *statsBody) chart() {
	weeks := slices.Clone(b.Groups)
	slices.SortFunc(weeks, func(x, y statsGroup) int { return cmp.Compare(value(x.Key["week"]), value(y.Key["week"])) })
	weeks = weeks[max(0, len(weeks)-mostColumns):]
	for _, w := range weeks {
		b.Most = max(b.Most, w.Added)
	}
	if b.Most == 0 {
		return
	}
	each := math.Min(chartWidth/float64(len(weeks)), 60)
	b.Width = units(each * 0.78)
	for i, w := range weeks {
		c := column{Label: value(w.Key["week"]), X: units(float64(i)*each + each*0.11), Counts: w.lineCounts}
		top := chartHeight
		for _, p := range []struct {
			kind string
			n    int
		}{{"ai", w.AI}, {"human", w.Human}, {"unknown", w.Unknown}} {
			if height := float64(p.n) / float64(b.Most) * (chartHeight - 8); height > 0 {
				top -= height
				c.Parts = append(c.Parts, columnPart{p.kind, units(top), units(height)})
			}
		}
		b.Columns = append(b.Columns, c)
	}
}

func units(n float64) string { return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) }

// About says of a column what it shows.
func (c column) About() string {
	return fmt.Sprintf("week of %s: %d by agents, %d by people, %d unknown", c.Label, c.Counts.AI, c.Counts.Human,
		c.Counts.Unknown)
}

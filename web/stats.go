package web

import (
	"cmp"
	"context"
	"slices"
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
	Weeks weekChart
	Lives lifeChart
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
	var lives statsAnswer
	asks = append(asks, func() error {
		ctx, cancel := context.WithTimeout(q.ctx, followTime)
		defer cancel()
		_ = q.answers.into(ctx, &lives, q.ranged("stats", "--json", "--by=agent", "--survival")...)
		return nil // the page is shown without it
	})
	if err := all(asks...); err != nil {
		return "", "", nil, err
	}
	for i := range tables {
		tables[i].Groups = answers[i].Groups
		slices.SortStableFunc(tables[i].Groups, func(a, b statsGroup) int { return cmp.Compare(b.Added, a.Added) })
		tables[i].Groups = tables[i].Groups[:min(len(tables[i].Groups), 20)]
	}
	body.By = tables
	body.Weeks, body.Lives = weeksOf(body.Groups), livesOf(lives.Groups)
	return "Figures", "stats", body, nil
}

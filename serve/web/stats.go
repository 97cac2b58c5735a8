package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

type statsBody struct {
	figures.Stats
	Since string
	Range string
	Wants string // the single requested grouping; empty: the usual ones
	Usual string // default start of the period
	Times timeChart
	Lives lifeChart
	By    []statsTable
}

// statsTable is a table of lines by one dimension.
type statsTable struct {
	Name   string
	Groups []figures.Counted
	key    stats.Dimension
	lives  lifeChart
}

// Label returns the name of a row.
func (t statsTable) Label(g figures.Counted) string {
	if day, hour, is := hourOf(records.Value(g.Key[t.key])); is && t.key == "hour" {
		return hourName(day, hour)
	}
	switch text := g.Key[t.key]; {
	case text != nil && t.key == "model":
		return view.ModelName(*text)
	case text != nil:
		return *text
	case t.key == "language":
		return "other"
	case t.key == "model" && records.Value(g.Contributor) == "ai":
		return "several or not known"
	case !t.Owns():
		return "not known"
	case g.Older > 0:
		return "older"
	}
	return ownerOf(&g)
}

// ownerOf returns the name of a group's owner in a table by agent.
func ownerOf(g *figures.Counted) string {
	switch agent := records.Value(g.Key["agent"]); {
	case agent != "":
		return agent
	case records.Value(g.Contributor) == "human":
		return "people"
	case records.Value(g.Contributor) == "ai":
		return "an agent"
	}
	return ownerWord("unknown", g.Older > 0)
}

// Alive returns how many of an agent's lines are alive at each age; nil if unknown.
func (t statsTable) Alive(g figures.Counted) (out *figures.AliveAtAges) {
	for _, line := range t.lives.Lines {
		for i := range line.Ages {
			if t.key == "agent" && line.Name == ownerOf(&g) && line.Ages[i].Written > 0 {
				out = &line.Ages[i]
			}
		}
	}
	return out
}

// Lives reports whether the survival of lines is known for some row.
func (t statsTable) Lives() bool {
	return slices.ContainsFunc(t.Groups, func(g figures.Counted) bool { return t.Alive(g) != nil })
}

// Accepts reports whether the fate of hooked agents' lines is known for some row.
func (t statsTable) Accepts() bool {
	return slices.ContainsFunc(t.Groups, func(g figures.Counted) bool {
		return g.Accepted != nil && g.Accepted.Written > 0
	})
}

// `timed` reports whether the rows are periods of time.
func (t statsTable) timed() bool {
	return t.key.Times()
}

// Owns reports whether each row has a single owner, so that a bar is useless.
func (t statsTable) Owns() bool { return t.key == "agent" || t.key == "model" }

// Spends reports whether the tokens of conversations are known for some row.
func (t statsTable) Spends() bool {
	return slices.ContainsFunc(t.Groups, func(g figures.Counted) bool { return g.Tokens != nil })
}

// Charged reports whether each conversation belongs to one row, with all its cost.
func (t statsTable) Charged() bool {
	return (t.Owns() || t.timed()) &&
		slices.ContainsFunc(t.Groups, func(g figures.Counted) bool { return g.Conversations > 0 })
}

// usualTables are the tables that the page always shows. The tables of moreTables are shown on request.
var (
	usualTables = []statsTable{{Name: "Agent", key: "agent"}, {Name: "Model", key: "model"},
		{Name: "Directory", key: "directory"}, {Name: "Language", key: "language"}}
	moreTables = []statsTable{{Name: "Author", key: "author"}, {Name: "File", key: "file"},
		{Name: "Function", key: "function"}, {Name: "Day", key: "day"},
		{Name: "Week", key: "week"}, {Name: "Month", key: "month"},
		{Name: "Hour of the week", key: "hour"}}
)

// Number of rows of a table beside others, and of a table that is alone.
const (
	mostGroups     = 20
	mostGroupsOnly = 200
)

// Groupings returns the names of all groupings.
func (b *statsBody) Groupings() (words []string) {
	for _, t := range slices.Concat(usualTables, moreTables) {
		words = append(words, string(t.key))
	}
	return words
}

// choose reads the parameters of the page, and returns the tables to show.
func (b *statsBody) choose(q *question) ([]statsTable, error) {
	ask := q.r.URL.Query()
	b.Since, b.Range, b.Wants = ask.Get("since"), ask.Get("range"), ask.Get("by")
	b.Usual = usualSince(q)
	if b.Range != "" {
		if err := noOption(b.Range); err != nil {
			return nil, err
		}
	}
	if b.Wants == "" {
		return slices.Clone(usualTables), nil
	}
	for _, t := range slices.Concat(usualTables, moreTables) {
		if string(t.key) == b.Wants {
			return []statsTable{t}, nil
		}
	}
	return nil, fmt.Errorf("by '%s': %w: one of %s", b.Wants, errBadQuestion, strings.Join(b.Groupings(), ", "))
}

// usualSince returns the default start: half a year ago. If the newest commit is older than a month, it is half a year
// before that commit, so that the page is not empty.
func usualSince(q *question) string {
	const usual, months, fresh = "6 months ago", 6, 31 * 24 * time.Hour
	out, err := q.repo.Git(q.ctx, nil, "log", "-1", "--format=%ct")
	if err != nil {
		return usual
	}
	at, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if newest := time.Unix(at, 0); err == nil && time.Since(newest) > fresh {
		return newest.AddDate(0, -months, 0).Format(time.DateOnly)
	}
	return usual
}

// `asked` adds the range, or the start of the period, to the arguments.
func (b *statsBody) asked(q *question, args ...string) []string {
	if since := cmp.Or(b.Since, b.Usual); b.Since != "" || b.Range == "" {
		args = append(args, "--since="+since)
	}
	if b.Range != "" {
		args = append(args, b.Range)
	}
	return args
}

// `figured` returns the page of statistics.
func figured(q *question) (string, string, any, error) {
	body := &statsBody{}
	tables, err := body.choose(q)
	if err != nil {
		return "", "", nil, err
	}
	most := mostGroups
	if body.Wants != "" {
		most = mostGroupsOnly
	}
	answers := make([]figures.Stats, len(tables))
	ask := func(to *figures.Stats, by stats.Dimension) func() error {
		args := body.asked(q, "stats", "--json", "--by="+string(by))
		return func() error { return q.into(to, args...) }
	}
	by := stats.Week
	if body.Wants == "day" {
		by = stats.Day
	}
	asks := []func() error{ask(&body.Stats, by)}
	for i := range tables {
		asks = append(asks, ask(&answers[i], tables[i].key))
	}
	var lives figures.Stats
	asks = append(asks, func() error {
		ctx, cancel := context.WithTimeout(q.ctx, followTime)
		defer cancel()
		args := []string{"stats", "--json", "--by=agent", "--survival"}
		if body.Range != "" {
			args = append(args, body.Range)
		}
		_ = q.answers.into(ctx, &lives, args...)
		return nil // the page is shown without this part
	})
	if err := all(asks...); err != nil {
		return "", "", nil, err
	}
	for i := range tables {
		tables[i].Groups = answers[i].Groups
		if !tables[i].timed() { // periods stay in order of time
			slices.SortStableFunc(tables[i].Groups, func(a, b figures.Counted) int { return cmp.Compare(b.Added, a.Added) })
		}
		tables[i].Groups = tables[i].Groups[:min(len(tables[i].Groups), most)]
	}
	for i := range tables {
		tables[i].lives = livesOf(lives.Groups)
	}
	body.By = tables
	body.Times, body.Lives = timesOf(body.Groups, by), livesOf(lives.Groups)
	return "Figures", "stats", body, nil
}

// weekdays lists the days of the week, from Monday.
var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// hourOf parses the key of a group by hour.
func hourOf(key string) (day, hour int, is bool) {
	var name string
	n, _ := fmt.Sscanf(key, "%d %s %d", &day, &name, &hour) // n tells whether all parts were found
	return day, hour, n == 3 && day >= 1 && day <= len(weekdays) && hour >= 0 && hour < 24
}

// hourName returns an hour in the form "Mon 14–15".
func hourName(day, hour int) string {
	return fmt.Sprintf("%s %d–%d", weekdays[day-1], hour, hour+1)
}

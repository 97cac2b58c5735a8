package web

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
)

// The table of agents tells how many of the lines lived as long as is known, and what the conversations took. A column
// of which nothing is known is not there.
func TestTheTableOfAgents(t *testing.T) {
	t.Parallel()
	agent, ai, human, cost := "claude-code", events.OwnerAI, events.OwnerHuman, 1.25
	of := func(name *string, who events.OwnerKind, tokens *figures.Tokens, cost *float64) figures.Counted {
		return figures.Counted{Key: map[stats.Dimension]*string{"agent": name}, Contributor: &who, Lines: stats.Lines{Added: 40},
			Tokens: tokens, CostUSD: cost, Conversations: 3, Survival: []figures.AliveAtAges{{Days: 1, Written: 40, Alive: 38}, {Days: 7, Written: 40, Alive: 30}, {Days: 30}}}
	}
	drawn := func(groups ...figures.Counted) string {
		body := &statsBody{By: []statsTable{{Name: "Agent", key: "agent", Groups: groups, lives: livesOf(groups)}}}
		var out bytes.Buffer
		f := &frame{Title: "Figures", Body: body, digits: func() int { return 4 }}
		if err := pages().ExecuteTemplate(&out, "stats", f); err != nil {
			t.Fatal(err)
		}
		_, page, _ := strings.Cut(out.String(), "<h2>Agent</h2>")
		return page
	}
	one := of(&agent, ai, &figures.Tokens{Input: 1000, Output: 200, CacheRead: 2800}, &cost)
	one.Accepted = &figures.Accepted{Written: 50, Committed: 40, Rewritten: 7}
	page := drawn(one, of(nil, human, nil, nil))
	for _, want := range []string{
		`<th scope="col">Alive</th>`, `<th scope="col">Tokens</th>`, `<td>80 % <small>of 50</small></td><td>7</td>`, `75 % <small>after 7 days</small>`, "<td>4,000</td>", "<td>$1.25</td>",
		`<th scope="row">claude-code</th>`, `<th scope="row">people</th>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	bare := of(&agent, ai, nil, nil)
	bare.Survival = nil
	if page := drawn(bare); strings.Contains(page, "Alive") || strings.Contains(page, "Tokens") || strings.Contains(page, "Accepted") || strings.Contains(page, "Whose") {
		t.Errorf("a column says nothing: %s", page)
	}
}

// Days below a chart have room on a narrow screen, and tell the year where there are two.
func TestDaysBelowAChart(t *testing.T) {
	t.Parallel()
	week := func(day string) figures.Counted {
		return figures.Counted{Key: map[stats.Dimension]*string{"week": &day}, Lines: stats.Lines{Added: 1, AI: 1}}
	}
	for want, groups := range map[string][]figures.Counted{
		"7 Sep, 5 Oct, 2 Nov, 23 Nov":            {week("2026-11-23")},
		"Dec 2025, Mar 2026, Jul 2026, Nov 2026": {week("2025-12-01"), week("2026-11-23")},
	} {
		if got := strings.Join(timesOf(groups, "week").Axis, ", "); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// What a line lived for less than a minute is no length of time.
func TestHowLongALineLived(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for long, want := range map[time.Duration]string{time.Second: "lived a moment", 2 * time.Hour: "lived 2 hours", 96 * time.Hour: "lived 4 days"} {
		if got := livedFor(end.Add(-long), end); got != want {
			t.Errorf("%s: %q, not %q", long, got, want)
		}
	}
}

// A row says whose it is where no name does: two rows of the same name would say nothing.
func TestRowsWithoutAName(t *testing.T) {
	t.Parallel()
	ai, human, unknown := events.OwnerAI, events.OwnerHuman, events.OwnerUnknown
	for _, tt := range []struct {
		by   stats.Dimension
		of   *events.OwnerKind
		old  int
		want string
	}{
		{"model", &ai, 0, "several or not known"}, {"model", &human, 0, "people"}, {"model", &unknown, 9, "older"},
		{"model", &unknown, 0, "unknown"}, {"agent", &ai, 0, "an agent"}, {"agent", &unknown, 9, "older"},
		{"directory", nil, 0, "not known"}, {"file", nil, 0, "not known"}, {"language", nil, 0, "other"},
	} {
		g := figures.Counted{Key: map[stats.Dimension]*string{tt.by: nil}, Contributor: tt.of, Lines: stats.Lines{Older: tt.old}}
		if got := (statsTable{key: tt.by}).Label(g); got != tt.want {
			t.Errorf("by %s: the row is called %q, want %q", tt.by, got, tt.want)
		}
	}
}

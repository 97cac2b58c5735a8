package web

import (
	"strconv"
	"testing"

	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
)

// Each hour stands in the place of its day and hour, the larger the more lines it has, and its parts fill it.
func TestHoursOfTheWeekStandInTheirPlaces(t *testing.T) {
	t.Parallel()
	group := func(key string, ai, human, unknown int) figures.Counted {
		g := figures.Counted{Lines: stats.Lines{Added: ai + human + unknown, AI: ai, Human: human, Unknown: unknown}}
		if key != "" {
			g.Key = map[stats.Dimension]*string{"hour": &key}
		}
		return g
	}
	got := hoursOf([]figures.Counted{group("1 Mon 00", 1, 0, 0), group("1 Mon 14", 40, 50, 10), group("7 Sun 23", 0, 25, 0),
		group("", 3, 0, 0), group("8 Sun 01", 1, 0, 0), group("2 Tue 24", 1, 0, 0), group("3 Wed 05", 0, 0, 0)})
	if len(got.Cells) != 3 || got.Most != 100 || got.When != "Mon 14–15" {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []struct {
		about      string
		x, y, area float64 // of the middle, and as a share of the largest
	}{
		{"Mon 0–1: 1 by agents, 0 by people, 0 unknown", 20, 15, 0.01},
		{"Mon 14–15: 40 by agents, 50 by people, 10 unknown", 580, 15, 1},
		{"Sun 23–24: 0 by agents, 25 by people, 0 unknown", 940, 195, 0.25},
	} {
		cell := got.Cells[i]
		if cell.About() != want.about {
			t.Errorf("%q, want %q", cell.About(), want.about)
		}
		number := func(text string) float64 {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		first, width, next := cell.Parts[0], 0.0, number(cell.Parts[0].X)
		for _, p := range cell.Parts {
			if at := number(p.X); at < next-0.11 || at > next+0.11 {
				t.Errorf("%s: a part begins at %v, want %v", want.about, at, next)
			}
			next += number(p.Width)
			width += number(p.Width)
		}
		near := func(what string, got, want, by float64) {
			if got < want-by || got > want+by {
				t.Errorf("%s: %s is %v, want %v", cell.Label, what, got, want)
			}
		}
		near("the middle", number(first.X)+width/2, want.x, 0.2)
		near("the height of the middle", number(first.Y)+number(first.Height)/2, want.y, 0.2)
		near("the area", width*number(first.Height), want.area*37*27, 0.02*37*27)
	}
	if empty := hoursOf(nil); len(empty.Cells) > 0 {
		t.Errorf("nothing was written at %+v", empty.Cells)
	}
}

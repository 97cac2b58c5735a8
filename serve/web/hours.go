package web

import (
	"fmt"
	"math"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
)

// hourChart is lines by hours of the week: a row for each day, in which each hour has its place.
type hourChart struct {
	Days  []string
	Cells []hourCell // in the order of the week; hours without a line have none
	Most  int        // lines of one hour
	When  string     // it was
	all   numbers.Owned
}

// Kinds returns the owners that the chart has, with all their lines.
func (c hourChart) Kinds() []numbers.Part { return c.all.Parts() }

// Figures are lines by the kinds of the chart.
func (c hourChart) Figures(lines stats.Lines) []int { return lines.Owned().By(c.Kinds()) }

// hourCell are the lines of an hour. Its area says how many they are, its parts whose.
type hourCell struct {
	Label  string
	Parts  []hourPart
	Counts stats.Lines
}

type hourPart struct{ Kind, X, Y, Width, Height string }

// About describes an hour.
func (c hourCell) About() string {
	return c.Label + ": " + c.Counts.Owned().String()
}

// Size of the place of an hour, in units of the chart's box, and how much of it is left free.
const (
	hourWidth, hourHeight = 40.0, 30.0
	hourGap               = 3.0
	hoursOfDay            = 24
)

// hoursOf draws the groups by hour. A group that names no hour is left out: nobody told its time.
func hoursOf(groups []figures.Counted) hourChart {
	c := hourChart{Days: weekdays}
	type placed struct {
		figures.Counted
		day, hour int
	}
	var all []placed
	for _, g := range groups {
		day, hour, is := hourOf(records.Value(g.Key["hour"]))
		if !is || g.Added == 0 {
			continue
		}
		all = append(all, placed{g, day, hour})
		c.all = c.all.Plus(g.Owned())
		if g.Added > c.Most {
			c.Most, c.When = g.Added, hourName(day, hour)
		}
	}
	for _, g := range all {
		cell := hourCell{Label: hourName(g.day, g.hour), Counts: g.Lines}
		side := math.Sqrt(float64(g.Added) / float64(c.Most))
		width, height := (hourWidth-hourGap)*side, (hourHeight-hourGap)*side
		x, y := (float64(g.hour)+0.5)*hourWidth-width/2, (float64(g.day)-0.5)*hourHeight-height/2
		for _, s := range bar(g.Owned()) {
			cell.Parts = append(cell.Parts, hourPart{s.Kind, units(x + s.From/100*width), units(y), units(s.Width / 100 * width),
				units(height)})
		}
		c.Cells = append(c.Cells, cell)
	}
	return c
}

// weekdays are the days in their order; Monday is the first.
var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// hourOf reads the key of a group by hour.
func hourOf(key string) (day, hour int, is bool) {
	var name string
	n, _ := fmt.Sscanf(key, "%d %s %d", &day, &name, &hour) // n says whether all were there
	return day, hour, n == 3 && day >= 1 && day <= len(weekdays) && hour >= 0 && hour < hoursOfDay
}

// hourName returns an hour as "Mon 14–15".
func hourName(day, hour int) string {
	return fmt.Sprintf("%s %d–%d", weekdays[day-1], hour, hour+1)
}

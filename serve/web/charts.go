package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
)

// Sizes of a chart, in units of its view box.
const (
	chartWidth, chartHeight = 1000.0, 180.0
	leastColumns            = 12
	mostColumns             = 80
	chartRoom               = 8.0 // space above the highest column
)

// timeChart is a stacked chart of lines by day or week. Days and weeks without lines have a place, too.
type timeChart struct {
	By      stats.Dimension
	Columns []column
	Width   string // width of one column
	Most    int
	Axis    []string
	all     numbers.Owned
}

// Half returns half of the highest value.
func (c timeChart) Half() int { return c.Most / 2 }

// Kinds returns the owners in the chart, with the total of their lines.
func (c timeChart) Kinds() []numbers.Part { return c.all.Parts() }

func (c timeChart) Figures(lines stats.Lines) []int { return lines.Owned().By(c.Kinds()) }

// column is a bar of a chart.
type column struct {
	By     stats.Dimension
	Label  string
	X      string
	Parts  []columnPart
	Counts stats.Lines
}

type columnPart struct{ Kind, Y, Height string }

// timesOf makes the chart of lines by day or week.
func timesOf(groups []figures.Counted, by stats.Dimension) (c timeChart) {
	all := allTimes(groups, by)
	for _, w := range all {
		c.Most = max(c.Most, w.Added)
	}
	if c.Most == 0 {
		return timeChart{}
	}
	c.By = by
	each := chartWidth / float64(len(all))
	c.Width = units(each * 0.78)
	for i, w := range all {
		bar := column{By: by, Label: records.Value(w.Key[by]), X: units(float64(i)*each + each*0.11), Counts: w.Lines}
		c.all = c.all.Plus(w.Owned())
		top := chartHeight
		for _, p := range w.Owned().Parts() {
			if height := float64(p.Lines) / float64(c.Most) * (chartHeight - chartRoom); height > 0 {
				top -= height
				bar.Parts = append(bar.Parts, columnPart{p.Kind, units(top), units(height)})
			}
		}
		c.Columns = append(c.Columns, bar)
	}
	first, last := c.Columns[0].Label, c.Columns[len(all)-1].Label
	form := "2 Jan"
	if len(first) < 4 || len(last) < 4 || first[:4] != last[:4] {
		form = "Jan 2006"
	}
	for _, at := range []int{0, len(all) / 3, len(all) * 2 / 3, len(all) - 1} {
		c.Axis = append(c.Axis, shortDate(c.Columns[at].Label, form))
	}
	return c
}

// shortDate returns a day in a form that fits below a narrow chart.
func shortDate(label, form string) string {
	at, err := time.Parse(time.DateOnly, label)
	if err != nil {
		return label
	}
	return at.Format(form)
}

// allTimes returns all days or weeks from the first to the last, including those without commits.
func allTimes(groups []figures.Counted, by stats.Dimension) []figures.Counted {
	have := slices.Clone(groups)
	slices.SortFunc(have, func(x, y figures.Counted) int {
		return cmp.Compare(records.Value(x.Key[by]), records.Value(y.Key[by]))
	})
	if len(have) == 0 {
		return nil
	}
	first, err1 := time.Parse(time.DateOnly, records.Value(have[0].Key[by]))
	last, err2 := time.Parse(time.DateOnly, records.Value(have[len(have)-1].Key[by]))
	if err1 != nil || err2 != nil {
		return have[max(0, len(have)-mostColumns):]
	}
	days := map[stats.Dimension]int{"day": 1, "week": 7}[by]
	if least := last.AddDate(0, 0, -days*(leastColumns-1)); first.After(least) {
		first = least
	}
	if most := last.AddDate(0, 0, -days*(mostColumns-1)); first.Before(most) {
		first = most
	}
	var out []figures.Counted
	for at := first; !at.After(last); at = at.AddDate(0, 0, days) {
		label := at.Format(time.DateOnly)
		i := slices.IndexFunc(have, func(g figures.Counted) bool { return records.Value(g.Key[by]) == label })
		if i >= 0 {
			out = append(out, have[i])
		} else {
			out = append(out, figures.Counted{Key: map[stats.Dimension]*string{by: &label}})
		}
	}
	return out
}

func units(n float64) string { return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) }

// About describes the column in words.
func (c column) About() string {
	label := c.Label
	if c.By == "week" {
		label = "week of " + label
	}
	return label + ": " + c.Counts.Owned().String()
}

// lifeChart shows how many lines of each agent are alive, by age.
type lifeChart struct {
	Days  []int
	Lines []lifeLine
}

// lifeLine is the curve of one owner.
type lifeLine struct {
	Name   string
	Class  string // style of the curve
	Points string
	Ages   []figures.AliveAtAges
}

// mostLives limits the number of curves; each has its own style.
const mostLives = 6

// livesOf makes the chart from the groups whose lines are old enough.
func livesOf(groups []figures.Counted) (c lifeChart) {
	for _, g := range groups {
		known := slices.ContainsFunc(g.Survival, func(a figures.AliveAtAges) bool { return a.Written > 0 })
		if !known || len(c.Lines) == mostLives {
			continue
		}
		line := lifeLine{Name: ownerOf(&g), Class: "s" + strconv.Itoa(len(c.Lines)), Ages: g.Survival}
		points := []string{"0," + units(chartRoom)}
		for i, a := range g.Survival {
			if len(c.Lines) == 0 {
				c.Days = append(c.Days, a.Days)
			}
			if a.Written > 0 {
				share := float64(a.Alive) / float64(a.Written)
				points = append(points, units(float64(i+1)*chartWidth/float64(len(g.Survival)))+","+
					units(chartHeight-share*(chartHeight-chartRoom)))
			}
		}
		line.Points = strings.Join(points, " ")
		c.Lines = append(c.Lines, line)
	}
	return c
}

package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Size of a chart, in units of its box.
const (
	chartWidth, chartHeight = 1000.0, 180.0
	leastColumns            = 12 // weeks
	mostColumns             = 80
	chartRoom               = 8.0 // above the highest
)

// weekChart is lines by week, stacked. Weeks without a line have their place.
type weekChart struct {
	Columns []column
	Width   string // of a column
	Most    int
	Axis    []string
}

// column is a bar of a chart.
type column struct {
	Label  string
	X      string
	Parts  []columnPart
	Counts lineCounts
}

type columnPart struct{ Kind, Y, Height string }

// weeksOf stacks the lines of each week.
func weeksOf(groups []statsGroup) (c weekChart) {
	weeks := allWeeks(groups)
	for _, w := range weeks {
		c.Most = max(c.Most, w.Added)
	}
	if c.Most == 0 {
		return weekChart{}
	}
	each := chartWidth / float64(len(weeks))
	c.Width = units(each * 0.78)
	for i, w := range weeks {
		bar := column{Label: value(w.Key["week"]), X: units(float64(i)*each + each*0.11), Counts: w.lineCounts}
		top := chartHeight
		for _, p := range []struct {
			kind string
			n    int
		}{{"ai", w.AI}, {"human", w.Human}, {"unknown", w.Unknown}} {
			if height := float64(p.n) / float64(c.Most) * (chartHeight - chartRoom); height > 0 {
				top -= height
				bar.Parts = append(bar.Parts, columnPart{p.kind, units(top), units(height)})
			}
		}
		c.Columns = append(c.Columns, bar)
	}
	for _, at := range []int{0, len(weeks) / 3, len(weeks) * 2 / 3, len(weeks) - 1} {
		c.Axis = append(c.Axis, c.Columns[at].Label)
	}
	return c
}

// allWeeks are the weeks from the first to the last one, those without a commit too.
func allWeeks(groups []statsGroup) []statsGroup {
	weeks := slices.Clone(groups)
	slices.SortFunc(weeks, func(x, y statsGroup) int { return cmp.Compare(value(x.Key["week"]), value(y.Key["week"])) })
	if len(weeks) == 0 {
		return nil
	}
	first, err1 := time.Parse(time.DateOnly, value(weeks[0].Key["week"]))
	last, err2 := time.Parse(time.DateOnly, value(weeks[len(weeks)-1].Key["week"]))
	if err1 != nil || err2 != nil {
		return weeks[max(0, len(weeks)-mostColumns):]
	}
	const week = 7
	if least := last.AddDate(0, 0, -week*(leastColumns-1)); first.After(least) {
		first = least
	}
	if most := last.AddDate(0, 0, -week*(mostColumns-1)); first.Before(most) {
		first = most
	}
	var out []statsGroup
	for at := first; !at.After(last); at = at.AddDate(0, 0, week) {
		label := at.Format(time.DateOnly)
		have := slices.IndexFunc(weeks, func(g statsGroup) bool { return value(g.Key["week"]) == label })
		if have >= 0 {
			out = append(out, weeks[have])
		} else {
			out = append(out, statsGroup{Key: map[string]*string{"week": &label}})
		}
	}
	return out
}

func units(n float64) string { return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) }

// About says of a column what it shows.
func (c column) About() string {
	return fmt.Sprintf("week of %s: %d by agents, %d by people, %d unknown", c.Label, c.Counts.AI, c.Counts.Human,
		c.Counts.Unknown)
}

// lifeChart is how many lines of each agent live on, by their age.
type lifeChart struct {
	Days  []int
	Lines []lifeLine
}

// lifeLine is the lines of one owner.
type lifeLine struct {
	Name   string
	Class  string // how the line is drawn
	Points string
	Ages   []lived
}

// lived is how many lines lived so long, of those that are old enough.
type lived struct {
	Days    int `json:"days"`
	Written int `json:"written"`
	Alive   int `json:"alive"`
}

// mostLives bounds the lines of the chart; each has a form of its own.
const mostLives = 6

// livesOf draws the groups whose lines are old enough.
func livesOf(groups []statsGroup) (c lifeChart) {
	for _, g := range groups {
		known := slices.ContainsFunc(g.Survival, func(a lived) bool { return a.Written > 0 })
		if !known || len(c.Lines) == mostLives {
			continue
		}
		line := lifeLine{Name: "people and unknown", Class: "s" + strconv.Itoa(len(c.Lines)), Ages: g.Survival}
		if agent := value(g.Key["agent"]); agent != "" {
			line.Name = agent
		} else if g.Contributor != nil {
			line.Name = map[string]string{"human": "people", "unknown": "unknown"}[*g.Contributor]
		}
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

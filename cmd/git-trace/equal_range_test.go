package main

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
)

// Rows of a range of commits: stats, diff and report tell the same of it.

// toldRange is what they say of one range.
type toldRange struct {
	stats toldStats
	diff  struct {
		Totals struct {
			Added toldCounts
			Churn struct{ Written, Gone int }
		}
		Files         []struct{ Path string }
		Conversations []toldShare
	}
	report struct {
		Stats         toldStats
		Result        toldCounts
		Writers       []toldShare
		Conversations []toldShare
		Files         []struct{ Path string }
	}
	page string
}

type toldCounts struct{ Lines, AI, Mixed, Human, Unknown int }

func (c toldCounts) String() string {
	return fmt.Sprintf("%d lines: %d by agents, %d by people, %d unknown", c.Lines, c.AI, c.Human, c.Unknown)
}

type toldShare struct {
	Kind, Trace, Agent           string
	Added, Written, Result, Gone int
}

// rangesAsked asks about all that followed the first commit, and about the younger half of it.
func (a *allAnswers) rangesAsked() {
	c := a.tale
	a.ranges = map[string]*toldRange{}
	all := strings.Fields(c.run("git", "rev-list", "--first-parent", "HEAD"))
	for _, from := range []string{all[len(all)-1], all[len(all)/2]} {
		told := &toldRange{}
		of := from + "..HEAD"
		c.answer(&told.stats, "stats", "--json", of)
		c.answer(&told.diff, "diff", "--json", of)
		c.answer(&told.report, "report", "--json", of)
		told.page = c.run("git-trace", "report", of)
		a.ranges[of] = told
	}
}

// ofRange makes a row of a figure of ranges.
func ofRange(thing, command string, read func(t *toldRange, tell func(subject, figure string))) row {
	return row{thing, command, func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for of, told := range a.ranges {
			read(told, func(subject, figure string) { out[cells.Spaced(subject, of)] = figure })
		}
		return out
	}}
}

func sharesOf(list []toldShare, tell func(subject, figure string)) {
	for _, s := range list {
		if s.Trace != "" && s.Written > 0 {
			tell(s.Trace, fmt.Sprintf("wrote %d, %d gone", s.Written, s.Gone))
		}
	}
}

var rangeRows = []row{
	ofRange("written in a range", "stats --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.stats.Lines, t.stats.Agents, t.stats.Authors))
	}),
	ofRange("written in a range", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.report.Stats.Lines, t.report.Stats.Agents, t.report.Stats.Authors))
	}),
	ofRange("conversations of a range", "stats --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", t.stats.sums()["all conversations"])
	}),
	ofRange("conversations of a range", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", t.report.Stats.sums()["all conversations"])
	}),
	ofRange("lines of all in a range", "stats --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.stats.Lines.Added))
	}),
	ofRange("lines of all in a range", "diff --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.diff.Totals.Churn.Written))
	}),
	ofRange("lines of all in a range", "report --json RANGE, its writers", func(t *toldRange, tell func(_, _ string)) {
		n := 0
		for _, w := range t.report.Writers {
			n += w.Written
		}
		tell("", fmt.Sprint(n))
	}),
	ofRange("lines by agents in a range", "stats --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.stats.Lines.AI))
	}),
	ofRange("lines by agents in a range", "report --json RANGE, its conversations", func(t *toldRange, tell func(_, _ string)) {
		n := 0
		for _, w := range t.report.Conversations {
			n += w.Written
		}
		for _, w := range t.report.Writers {
			if w.Kind == "ai" && w.Agent == "" {
				n += w.Written
			}
		}
		tell("", fmt.Sprint(n))
	}),
	ofRange("result of a range", "diff --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", t.diff.Totals.Added.String())
	}),
	ofRange("result of a range", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", t.report.Result.String())
	}),
	ofRange("files of a range", "diff --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.diff.Files))
	}),
	ofRange("files of a range", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", fmt.Sprint(t.report.Files))
	}),
	ofRange("a conversation in a range", "diff --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		sharesOf(t.diff.Conversations, tell)
	}),
	ofRange("a conversation in a range", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		sharesOf(t.report.Conversations, tell)
	}),
	ofRange("result of a conversation in a range", "diff --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		for _, s := range t.diff.Conversations {
			if s.Written > 0 {
				tell(s.Trace, fmt.Sprint(s.Added))
			}
		}
	}),
	ofRange("result of a conversation in a range", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		for _, s := range t.report.Conversations {
			tell(s.Trace, fmt.Sprint(s.Result))
		}
	}),
	ofRange("the heading of a report", "report --json RANGE", func(t *toldRange, tell func(_, _ string)) {
		tell("", numbers.Count(t.report.Result.Lines, "line")+" added")
	}),
	ofRange("the heading of a report", "report RANGE", func(t *toldRange, tell func(_, _ string)) {
		heading, _, _ := strings.Cut(strings.TrimPrefix(t.page, "### Who wrote this: "), "\n")
		lines, _, _ := strings.Cut(heading, ", ")
		tell("", lines)
	}),
}

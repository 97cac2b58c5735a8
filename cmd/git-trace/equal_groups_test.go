package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// Rows of the groups of stats --by: the groups add up to the sums, whatever they are by.
var groupRows = []row{
	{"lines by whom, in groups", "stats --json", func(a *allAnswers) map[string]string {
		return a.eachGrouping(func(string, []toldGroup) string {
			l := a.stats.Lines
			return fmt.Sprint(l.Added, l.AI, l.Human, l.Unknown)
		})
	}},
	{"lines by whom, in groups", "stats --json --by", func(a *allAnswers) map[string]string {
		return a.eachGrouping(func(_ string, groups []toldGroup) string {
			var l toldGroup
			for _, g := range groups {
				l.Added, l.AI, l.Human, l.Unknown = l.Added+g.Added, l.AI+g.AI, l.Human+g.Human, l.Unknown+g.Unknown
			}
			return fmt.Sprint(l.Added, l.AI, l.Human, l.Unknown)
		})
	}},
	{"percent of all groups", truth, func(a *allAnswers) map[string]string {
		return a.eachGrouping(func(string, []toldGroup) string {
			if a.stats.Lines.Added == 0 {
				return "0"
			}
			return "100"
		})
	}},
	{"percent of all groups", "stats --json --by", func(a *allAnswers) map[string]string {
		return a.eachGrouping(func(_ string, groups []toldGroup) string {
			sum := 0
			for _, g := range groups {
				sum += g.Percent
			}
			return fmt.Sprint(sum)
		})
	}},
	{"cost of all groups", "stats --json", func(a *allAnswers) map[string]string {
		return map[string]string{"agent": a.costText(a.stats.Cost.USD), "model": a.costText(a.stats.Cost.USD), "week": a.costText(a.stats.Cost.USD)}
	}},
	{"cost of all groups", "stats --json --by", func(a *allAnswers) map[string]string {
		return a.eachGrouping(func(by string, groups []toldGroup) string {
			sum, told := 0.0, by == "agent" || by == "model" || by == "week"
			for _, g := range groups {
				if g.CostUSD != nil {
					sum += *g.CostUSD
					told = true
				}
			}
			if !told {
				return "none"
			}
			return a.costText(sum)
		})
	}},
	{"conversations of an agent", "log --json", func(a *allAnswers) map[string]string {
		count := map[string]int{}
		for i := range a.log {
			count[a.log[i].Agent]++
		}
		return textOf(count)
	}},
	{"conversations of an agent", "stats --json --by agent", func(a *allAnswers) map[string]string {
		count := map[string]int{}
		for _, g := range a.groups["agent"] {
			if records.Value(g.Contributor) == "ai" && records.Value(g.Key["agent"]) != "" {
				count[records.Value(g.Key["agent"])] += g.Conversations
			}
		}
		return textOf(count)
	}},
	{"lines of a model", "graph --json", func(a *allAnswers) map[string]string {
		count := map[string]int{}
		for _, c := range a.graph {
			for _, who := range c.Contributors {
				if a.ids[c.Commit] != "" && who.Contributor == "ai" {
					count[view.ModelName(records.Value(who.Model))] += who.Lines
				}
			}
		}
		return textOf(count)
	}},
	{"lines of a model", "stats --json --by model", func(a *allAnswers) map[string]string {
		count := map[string]int{}
		for _, g := range a.groups["model"] {
			if records.Value(g.Contributor) == "ai" && g.Added > 0 {
				count[view.ModelName(records.Value(g.Key["model"]))] += g.Added
			}
		}
		return textOf(count)
	}},
	{"lines that hooks saw a model write", "track --json CONVERSATION", func(a *allAnswers) map[string]string {
		count := map[string]int{}
		for _, trails := range a.tracks {
			for _, t := range trails {
				if t.Owner == "ai" && t.Created != nil && t.Lines > 0 {
					count[view.ModelName(t.Model)] += t.Lines
				}
			}
		}
		return textOf(count)
	}},
	{"lines that hooks saw a model write", "stats --json --by model", func(a *allAnswers) map[string]string {
		count := map[string]int{}
		for _, g := range a.groups["model"] {
			if g.Accepted != nil && g.Accepted.Written > 0 {
				count[view.ModelName(records.Value(g.Key["model"]))] += g.Accepted.Written
			}
		}
		return textOf(count)
	}},
	{"lines of a file as it is", "blame --json HEAD PATH", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for path, lines := range a.atHead {
			count := map[string]int{}
			for _, l := range lines {
				count[l.Contributor]++
			}
			out[path] = fmt.Sprint(len(lines), count["ai"]+count["mixed"], count["human"], count["unknown"])
		}
		return out
	}},
	{"lines of a file as it is", "stats --json --now --by file", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for _, g := range a.now.Groups {
			out[records.Value(g.Key["file"])] = fmt.Sprint(g.Added, g.AI, g.Human, g.Unknown)
		}
		return out
	}},
	{"lines of a file that are older than the recording", "blame --json HEAD PATH", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for path, lines := range a.atHead {
			older := 0
			for _, l := range lines {
				if l.Older {
					older++
				}
			}
			out[path] = fmt.Sprint(older)
		}
		return out
	}},
	{"lines of a file that are older than the recording", "stats --json --now --by file", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for _, g := range a.now.Groups {
			out[records.Value(g.Key["file"])] = fmt.Sprint(g.Older)
		}
		return out
	}},
	{"lines of a directory", "stats --json -- DIRECTORY", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for dir, told := range a.dirs {
			out[dir] = fmt.Sprint(told.Lines.Added, told.Lines.AI, told.Lines.Human, told.Lines.Unknown)
		}
		return out
	}},
	{"lines of a directory", "stats --json --by directory", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for _, g := range a.groups["directory"] {
			if dir := records.Value(g.Key["directory"]); strings.HasSuffix(dir, "/") {
				out[dir] = fmt.Sprint(g.Added, g.AI, g.Human, g.Unknown)
			}
		}
		return out
	}},
}

func (a *allAnswers) costText(usd float64) string { return fmt.Sprintf("%.6f", usd) }

func (a *allAnswers) eachGrouping(figure func(by string, groups []toldGroup) string) map[string]string {
	out := map[string]string{}
	for by, groups := range a.groups {
		out[by] = figure(by, groups)
	}
	return out
}

func textOf(count map[string]int) map[string]string {
	out := map[string]string{}
	for name, n := range count {
		out[name] = fmt.Sprint(n)
	}
	return out
}

// directories are those at the top that stats has groups for.
func (a *allAnswers) directories() []string {
	var out []string
	for _, g := range a.groups["directory"] {
		if dir := records.Value(g.Key["directory"]); strings.HasSuffix(dir, "/") {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return out
}

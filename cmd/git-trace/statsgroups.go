package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/report/stats"
)

// statsAsk holds the options that group and show lines.
type statsAsk struct {
	by       stats.By
	grouped  bool // the user named the groups
	survival bool
	now      string // the revision whose lines are counted; empty: count the lines that commits added
	format   string
}

var statsFormats = []string{"table", "json", "csv", "markdown"}

func askStats(c *call) (*statsAsk, error) {
	ask := &statsAsk{survival: c.Bool("survival"), format: c.String("format")}
	for _, name := range []string{"json", "markdown"} {
		if !c.Bool(name) {
			continue
		}
		if ask.format != name && (c.IsSet("format") || ask.format != "table") {
			return nil, exit.Fail(exit.Misuse, fmt.Errorf("--%s and --format=%s exclude each other", name, ask.format), "")
		}
		ask.format = name
	}
	if !slices.Contains(statsFormats, ask.format) {
		return nil, exit.NoSuch("format", ask.format, statsFormats)
	}
	for _, list := range c.StringSlice("by") {
		for name := range strings.SplitSeq(list, ",") {
			d := stats.Dimension(name)
			if !slices.Contains(stats.Dimensions, d) {
				return nil, exit.NoSuch("grouping", name, dimensions())
			}
			if !slices.Contains(ask.by.Dimensions, d) {
				ask.by.Dimensions = append(ask.by.Dimensions, d)
			}
		}
	}
	if ask.by.Depth = c.Int("depth"); ask.by.Depth < 1 {
		return nil, exit.Usage("--depth takes a number of 1 or more, not %d", ask.by.Depth)
	}
	if ask.survival && ask.by.InFunctions() {
		return nil, exit.Usage("--survival and --by function exclude each other")
	}
	ask.grouped = len(ask.by.Dimensions) > 0 || ask.survival
	if c.Bool("waste") && (ask.grouped || c.IsSet("now") || ask.format == "csv" || ask.format == "markdown") {
		return nil, exit.Usage("--waste needs a table or --json, and excludes --by, --now and --survival")
	}
	if len(ask.by.Dimensions) == 0 {
		ask.by.Dimensions = []stats.Dimension{stats.Agent}
	}
	return ask, nil
}

// dimensions returns the names of the dimensions.
func dimensions() []string {
	names := make([]string, len(stats.Dimensions))
	for i, d := range stats.Dimensions {
		names[i] = string(d)
	}
	return names
}

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view/lookup"
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

var errOneRevision = exit.Usage("--now takes one revision, and not a range")

// checkNow refuses options that choose commits, because --now counts the lines of one revision.
func checkNow(c *call, ask *statsAsk, query *graph.Query) error {
	if !c.Bool("now") {
		return nil
	}
	switch {
	case ask.survival:
		return exit.Usage("--now and --survival exclude each other")
	case len(query.Options) > 0 || c.Bool("all"):
		return exit.Usage("--now counts the lines of one revision; it takes no option that chooses commits")
	case len(query.Revs) > 1:
		return errOneRevision
	case len(query.Revs) == 0:
		ask.now = "HEAD"
		return nil
	}
	ask.now = query.Revs[0]
	if strings.Contains(ask.now, "..") || strings.HasPrefix(ask.now, "^") {
		return errOneRevision
	}
	return nil
}

// counted returns the noun for a message: commits, or files of the revision.
func (ask *statsAsk) counted() string {
	if ask.now != "" {
		return "file with text"
	}
	return "commit"
}

// countLinesNow counts the lines that a revision contains.
func countLinesNow(ctx context.Context, s *figures.Table, repo *refs.Repo, known *lookup.Conversations,
	query graph.Query,
	ask *statsAsk, shown *terminal.Progress) error {
	at, err := lookup.Commit(ctx, repo, ask.now)
	if err != nil {
		return err
	}
	defer shown.Clear()
	commits, err := stats.Now(ctx, repo, known.Owners(), at, query.Dir, query.Paths, ask.by.InFunctions(),
		shown.At)
	if err != nil {
		return fmt.Errorf("count lines of %s: %w", ask.now, err)
	}
	s.Now = true
	for _, c := range commits {
		s.Add(c)
	}
	return nil
}

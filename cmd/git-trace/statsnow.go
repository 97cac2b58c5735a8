package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view/lookup"
)

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

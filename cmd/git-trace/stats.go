package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func statsCommand() *command {
	return &command{
		Name: "stats",
		Does: "count the lines of each owner in a range of commits, and what the conversations used",
		Form: "git trace stats [<options>] [<revision range>] [[--] <path>…]",
		About: "Counts the lines that commits added: by agents, by people, older than the recording, and unknown;\n" +
			"in all commits, by author and by agent. Then it lists the conversations that wrote some of them,\n" +
			"with tokens, cost and models if they have a record. Without a range it counts all commits that\n" +
			"HEAD reaches, and every conversation here. With paths it counts only lines in these paths. The\n" +
			"parts add up to the sums. If nothing was ever recorded, it counts nothing and reads no commit.\n\n" +
			"--by groups the lines by agent, model, tool, author, day, week, month, hour, directory, file,\n" +
			"language or function, or by several: --by week,agent. Functions begin at git's function lines, in\n" +
			"the files as each commit has them; git trace help blame says more. By agent or model, and without\n" +
			"a range, stats also says how many of the lines that hooks saw them write were accepted (a commit\n" +
			"holds them), and how many of these lines people rewrote.\n" +
			"--now counts the lines of a revision (HEAD if none is named) by owner, with the blame of every\n" +
			"file with text. It uses today's names of files.\n" +
			"--survival says how many of the lines were alive 1, 7, 30 and 90 days after they came to the\n" +
			"first-parent history. It reads the patch of every commit, so it takes as long as git log -p.\n" +
			"--waste adds up the needless content of the contexts of all conversations. git trace show --cost\n" +
			"shows it for one.",
		Options: slices.Concat(commitFlags(), options("by", "depth", "now", "survival", "waste"),
			[]optionUse{opt("format", "table, json, csv or markdown").Or("table")}, options("json", "markdown", "color")),
		Examples: []example{
			{"git trace stats main..topic", "how much of a branch agents wrote"},
			{"git trace stats --by week,agent --since=3.months", "who wrote what in each week, and what it cost"},
			{"git trace stats --by directory --depth 2 -- cmd", "by directory, below one directory"},
			{"git trace stats --by function main..topic", "who wrote the functions of a branch"},
			{"git trace stats --now --by directory", "who wrote the lines that are there today"},
			{"git trace stats --by model --survival --format csv", "how long lines lived, for a spreadsheet"},
		},
		Run:    (*app).stats,
		Traits: common | bounded | anew,
		Shows:  []string{"", "--json"},
		Tries: []string{"--survival --format csv", "--by directory -- a", "HEAD~1..HEAD", "--now --by file", "--by function",
			"--waste"},
	}
}

func (a *app) stats(c *call, ops operands) error {
	ask, err := askStats(c)
	if err != nil {
		return err
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	query, err := graphQuery(c, repo, ops)
	if err != nil {
		return err
	}
	if err := checkNow(c, ask, &query); err != nil {
		return err
	}
	s := figures.NewTable(ops.All(), ask.by)
	s.Accept = ask.grouped
	nothing := known.Untraced()
	if head, _, err := repo.Head(); err != nil || !head.IsZero() || len(query.Revs) > 0 {
		count := func() error {
			return countLines(c.Context, s, repo, known, query, ask, a.line.Progress("following lines"))
		}
		switch {
		case nothing:
			count = func() error { return graph.Check(c.Context, repo, query) }
		case ask.now != "":
			count = func() error {
				return countLinesNow(c.Context, s, repo, known, query, ask, a.line.Progress("blaming files"))
			}
		}
		if err := count(); err != nil {
			return err
		}
	}
	whole := ask.now == "" && len(query.Revs)+len(query.Paths)+len(query.Options) == 0
	if !whole && !nothing && s.Lines.Commits == 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: no %s matches\n", ask.counted())
	}
	if err := s.AddConversations(known.Reader, whole); err != nil {
		return err
	}
	if c.Bool("waste") {
		if err := s.AddWaste(c.Context, known.Reader, whole); err != nil {
			return err
		}
	}
	if nothing {
		a.hintNothing(repo)
	}
	switch {
	case ask.format == "json":
		return writeJSON(terminal.Quietly(a.std.out), s.Stats)
	case ask.format == "csv":
		return s.WriteCSV(terminal.Quietly(a.std.out))
	case ask.format == "markdown":
		_, err := io.WriteString(terminal.Quietly(a.std.out), s.Markdown())
		return err
	case nothing && s.Conversations.Count == 0:
		return nil
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	draw := s.Draw
	if ask.grouped {
		draw = s.DrawGroups
	}
	s.Whole = screen.Whole
	_, err = io.WriteString(screen.Out, draw(cells.Pen{On: screen.Color}, screen.Width))
	return errors.Join(err, screen.Close())
}

// hintNothing prints a hint if nothing is recorded here: the publications of a remote, or how to find old sessions.
func (a *app) hintNothing(repo *refs.Repo) {
	if a.tellOffer(repo, true) {
		return
	}
	fmt.Fprintln(a.std.err, "git-trace: hint: nothing is recorded here, so there is nothing to count "+
		"(git trace backfill searches old session files)")
}

// countGrowth is the percentage by which memory may grow between two garbage collections in a command that walks a
// history. Such a command is short, and holds one batch of commits at a time.
const countGrowth = 100

// countLines counts and groups the lines of the commits. On request it follows them to the present.
func countLines(ctx context.Context, s *figures.Table, repo *refs.Repo, known *lookup.Conversations, query graph.Query,
	ask *statsAsk, shown *terminal.Progress) error {
	from := linesFrom(known)
	from.ByFile, from.ByFunction = ask.by.InFiles(), ask.by.InFunctions()
	from.Keep = from.ByFunction
	var commits []*graph.Commit
	s.Survival = ask.survival
	err := stats.Each(ctx, repo, from, query, func(c *graph.Commit) error {
		if s.Add(c); ask.survival {
			commits = append(commits, c)
		}
		return nil
	})
	if err != nil || !ask.survival {
		return err
	}
	defer shown.Clear()
	from.Tell = shown.At
	err = stats.Survival(ctx, repo, from, query, commits, s.Grouped)
	if errors.Is(err, stats.ErrManyTips) {
		return exit.Fail(exit.Misuse, err, "name one branch or range; it excludes --all")
	}
	return err
}

// linesFrom makes the source of the lines' owners.
func linesFrom(known *lookup.Conversations) stats.Source {
	debug.SetGCPercent(countGrowth)
	source := graph.Source{Log: known.Log(), Searcher: known.Searcher(), AtOnce: view.SearchBatch}
	return stats.Source{Source: source, Search: known.Searcher()}
}

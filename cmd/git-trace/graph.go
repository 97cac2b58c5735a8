package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func graphCommand() *command {
	return &command{
		Name: "graph",
		Does: "commits as git log --graph draws them, beside the conversations whose lines they hold",
		Form: "git trace graph [<options>] [<revision range>] [[--] <path>…]",
		About: "Below each commit it lists the conversations that wrote its lines, with files, numbers of lines,\n" +
			"and their share of the commit. A commit without such lines was written by people, or was not\n" +
			"recorded; --json distinguishes the two. The formats dot, mermaid and html are for Graphviz,\n" +
			"Markdown and a browser. --only-ai shows only commits with lines by agents.",
		Options: slices.Concat(commitFlags(), options("only-ai"),
			[]optionUse{opt("format", "text, json, dot, mermaid or html").Or("text"), jsonFlag(), colorFlag()}),
		Examples: []example{
			{"git trace graph -n 20", "the last commits, and the conversations that wrote them"},
			{"git trace graph --format html main..topic", "a page about a branch"},
		},
		Run:    (*app).graph,
		Traits: common | bounded | anew,
		Shows:  []string{"", "--json", "--format=dot", "--format=mermaid", "--format=html"},
	}
}

// commitFlags choose commits, like the options of git log.
func commitFlags() []optionUse {
	return slices.Concat([]optionUse{limitFlag("commits")}, options("all", "first-parent"), periodFlags(),
		options("author"))
}

func (a *app) graph(c *call, ops operands) error {
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	write, err := graphForm(c)
	if err != nil {
		return err
	}
	query, err := graphQuery(c, repo, ops)
	if err != nil {
		return err
	}
	if err := needsCommits(repo, query.Revs); err != nil {
		return err
	}
	from := graph.Source{Log: known.Log(), Searcher: known.Searcher()}
	top, err := uncommitted(c.Context, repo, from.Log, query)
	if err != nil {
		return err
	}
	if write == nil {
		return a.drawGraph(c, repo, known, from, query, top)
	}
	g, err := graph.Build(c.Context, repo, from, query)
	if err != nil {
		return err
	}
	if c.Bool("only-ai") {
		g.Only(byAgents, c.Int("max-count"))
	}
	g.Uncommitted = top
	if g.IDDigits, err = known.Digits(); err != nil {
		return err
	}
	return write(terminal.Quietly(a.std.out), g, graph.Style{ShortTrace: lookup.Abbreviator(g.IDDigits)})
}

// needsCommits fails if no revision was named, and HEAD has no commits yet.
func needsCommits(repo *refs.Repo, revs []string) error {
	if head, _, err := repo.Head(); err == nil && head.IsZero() && len(revs) == 0 {
		return exit.Fail(exit.Git, lookup.ErrNoCommits, "")
	}
	return nil
}

// graphForm returns the writer of the requested form. It returns nil for text, which drawGraph draws.
func graphForm(c *call) (func(io.Writer, *graph.Graph, graph.Style) error, error) {
	forms := map[string]func(io.Writer, *graph.Graph, graph.Style) error{
		"text": nil, "dot": graph.WriteDOT, "mermaid": graph.WriteMermaid, "html": graph.WriteHTML,
		"json": func(w io.Writer, g *graph.Graph, _ graph.Style) error { return graph.WriteJSON(w, g) },
	}
	name := c.String("format")
	if c.Bool("json") {
		if c.IsSet("format") && name != "json" {
			return nil, exit.Fail(exit.Misuse, fmt.Errorf("--json and --format=%s exclude each other", name), "")
		}
		name = "json"
	}
	form, ok := forms[name]
	if !ok {
		return nil, exit.NoSuch("format", name, []string{"text", "dot", "mermaid", "html", "json"})
	}
	return form, nil
}

// uncommitted returns the uncommitted changes, if some of their lines are an agent's and only HEAD was asked for;
// otherwise nil.
func uncommitted(ctx context.Context, repo *refs.Repo, log belief.Log, q graph.Query) (*graph.Commit, error) {
	limited := slices.ContainsFunc(q.Options, func(o string) bool { return !strings.HasPrefix(o, "--max-count=") })
	if limited || len(q.Revs)+len(q.Paths) > 0 || repo.Bare() || !recorded.Is(repo) {
		return nil, nil
	}
	left, err := view.PendingOf(ctx, repo, log)
	if err != nil || left.AI == 0 {
		return nil, err
	}
	c := graph.Uncommitted(left.Commit)
	return &c, nil
}

// drawGraph draws commits while git finds them, so that the first screen of a long history appears at once.
func (a *app) drawGraph(
	c *call, repo *refs.Repo, known *lookup.Conversations, from graph.Source, query graph.Query, top *graph.Commit,
) error {
	short, err := known.Short()
	if err != nil {
		return err
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	drawer := graph.NewDrawer(screen.Out, graph.Style{
		Color: screen.Color, Width: screen.Width, Whole: screen.Whole, Now: time.Now(), ShortTrace: short,
		TraceColor: blame.TraceColor,
	})
	if top != nil {
		if err := drawer.Commit(top); err != nil {
			return errors.Join(err, screen.Close())
		}
	}
	left := c.Int("max-count")
	for commit, err := range graph.Walk(c.Context, repo, from, query) {
		if left == 0 && err == nil {
			break
		}
		switch {
		case err != nil:
		case c.Bool("only-ai") && !byAgents(commit):
			err = drawer.Skip(commit)
		default:
			err = drawer.Commit(commit)
			left--
		}
		if err != nil {
			return errors.Join(err, screen.Close())
		}
	}
	return screen.Close()
}

// byAgents reports whether agents wrote lines of a commit.
func byAgents(c *graph.Commit) bool { return c.AI > 0 }

// graphQuery turns options and operands into a query for git log.
func graphQuery(c *call, repo *refs.Repo, ops operands) (graph.Query, error) {
	dir, err := os.Getwd()
	if err != nil {
		return graph.Query{}, err
	}
	q := graph.Query{Dir: dir, Revs: ops.List, Paths: ops.Behind, Dashed: ops.Dashed}
	if !q.Dashed && len(q.Revs) > 0 {
		q.Revs, q.Paths = splitRevs(c.Context, repo, dir, q.Revs)
		q.Dashed = len(q.Paths) > 0
	}
	if n := c.Int("max-count"); n >= 0 && !c.Bool("only-ai") { // git would also count commits that --only-ai leaves out
		q.Options = append(q.Options, "--max-count="+strconv.Itoa(n))
	}
	for _, name := range []string{"since", "until", "author"} {
		if value := c.String(name); value != "" {
			q.Options = append(q.Options, "--"+name+"="+value)
		}
	}
	if c.Bool("first-parent") {
		q.Options = append(q.Options, "--first-parent")
	}
	if c.Bool("all") {
		q.Revs = append(refs.Everywhere(), q.Revs...)
	}
	return q, nil
}

// splitRevs lets git separate revisions from the paths after them. If git cannot, all words count as revisions, and git
// log reports the error.
func splitRevs(ctx context.Context, repo *refs.Repo, dir string, words []string) (revs, paths []string) {
	out, err := repo.CommandIn(ctx, dir, append([]string{"rev-parse", "--no-flags", "--no-revs"}, words...)...).Output()
	if err != nil || len(out) == 0 {
		return words, nil
	}
	paths = strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	first := len(words) - len(paths)
	if first < 0 || !slices.Equal(words[first:], paths) {
		return words, nil
	}
	return words[:first], paths
}

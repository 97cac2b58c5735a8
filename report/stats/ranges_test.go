package stats_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

func source(k *talk.Talk) (stats.Source, *view.Reader) {
	r := k.Reader()
	return stats.Source{Source: graph.Source{Log: r.Log(), Searcher: r.Searcher(), AtOnce: view.SearchBatch}, Search: r.Searcher()}, r
}

// lasting is a repository in which lines live for some days, and a merge.
func lasting(t *testing.T) *talk.Talk {
	t.Helper()
	k := talk.Server(t)
	k.Commit("server: say what it does")
	k.Anchor()
	k.Git("checkout", "-q", "-b", "side")
	k.Ask("a page of its own")
	k.Put("docs/page.md", "# Page\n\none\ntwo\nthree\n")
	k.Put("tool.py", "def run(a):\n    return a\n\n\ndef stop():\n    return None\n")
	k.Say("there")
	k.Commit("docs: a page")
	k.Anchor()
	k.Git("checkout", "-q", "main")
	k.Write("notes.txt", "a person's note\nmore\n")
	k.Commit("notes: more")
	k.Anchor()
	k.Git("merge", "-q", "--no-ff", "-m", "merge the side", "side")
	k.Anchor()
	k.Clock = k.Clock.Add(48 * time.Hour)
	k.Write("docs/page.md", "# Page\n\nonly\n")
	k.Commit("docs: less")
	k.Anchor()
	k.Store()
	return k
}

func TestLinesAreCountedAndGrouped(t *testing.T) {
	t.Parallel()
	k := lasting(t)
	from, _ := source(k)
	from.ByFile, from.ByFunction, from.Keep = true, true, true
	query := graph.Query{Dir: k.Repo.WorkTree}
	commits, err := stats.Count(t.Context(), k.Repo, from, query)
	k.Check(err)
	all := stats.Lines{}
	for _, d := range stats.Dimensions {
		groups := stats.New(stats.By{Dimensions: []stats.Dimension{d}, Depth: 1})
		var sum, one stats.Lines
		for _, c := range commits {
			groups.Take(c)
			one.Add(c)
		}
		groups.Sort()
		for _, g := range groups.List {
			sum.Join(g.Lines)
		}
		if sum.Added != one.Added || one.Commits != len(commits) || one.Added < 25 {
			t.Errorf("%s: %+v of %+v", d, sum, one)
		}
		if owned := one.Owned(); fmt.Sprint(owned) == "" {
			t.Errorf("%+v", owned)
		}
		all = one
	}
	if all.AI < 20 || all.Human == 0 {
		t.Errorf("%+v", all)
	}
	for name, language := range map[string]string{"a/b.go": "Go", "x.py": "Python", "page.md": "Markdown"} {
		if got := stats.LanguageOf(name); got != language {
			t.Errorf("%s is %s", name, got)
		}
	}
}

func TestLinesThatAreThereAreCounted(t *testing.T) {
	t.Parallel()
	k := lasting(t)
	_, r := source(k)
	for _, functions := range []bool{false, true} {
		commits, err := stats.Now(t.Context(), k.Repo, r.Owners(), k.Head(), k.Repo.WorkTree, nil, functions, func(int, int) {})
		k.Check(err)
		var sum stats.Lines
		for _, c := range commits {
			sum.Add(c)
		}
		if sum.Added != 14+6+3+3+2 {
			t.Errorf("%+v", sum)
		}
		some, err := stats.Now(t.Context(), k.Repo, r.Owners(), k.Head(), k.Repo.WorkTree, []string{"docs"}, functions, func(int, int) {})
		if err != nil || len(some) == 0 {
			t.Error(some, err)
		}
	}
}

func TestLinesLiveForSomeTime(t *testing.T) {
	t.Parallel()
	k := lasting(t)
	from, _ := source(k)
	query := graph.Query{Dir: k.Repo.WorkTree}
	commits, err := stats.Count(t.Context(), k.Repo, from, query)
	k.Check(err)
	groups := stats.New(stats.By{Dimensions: []stats.Dimension{stats.Agent}})
	for _, c := range commits {
		groups.Take(c)
	}
	k.Check(stats.Survival(t.Context(), k.Repo, from, query, commits, groups))
	if !slices.ContainsFunc(groups.List, func(g *stats.Group) bool { return g.Alive[0].Written > 0 }) {
		t.Errorf("%+v", groups.List)
	}
	lives := 0
	k.Check(stats.Lives(t.Context(), k.Repo, from, query, commits, func(l *stats.Life) error {
		if lives++; l.Commit == nil || l.Lines == 0 {
			t.Errorf("%+v", l)
		}
		return nil
	}))
	if lives == 0 {
		t.Error("no line lives")
	}
	query.Revs = []string{"--all"}
	if err := stats.Survival(t.Context(), k.Repo, from, query, commits, groups); !errors.Is(err, stats.ErrManyTips) {
		t.Error(err)
	}
}

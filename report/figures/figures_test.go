package figures_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// counted counts the lines of a repository by dimensions.
func counted(t *testing.T, k *talk.Talk, survival bool, by ...stats.Dimension) *figures.Table {
	t.Helper()
	r := k.Reader()
	source := stats.Source{Source: graph.Source{Log: r.Log(), Searcher: r.Searcher(), AtOnce: view.SearchBatch}, Search: r.Searcher()}
	of := stats.By{Dimensions: by, Depth: 1}
	source.ByFile, source.ByFunction, source.Keep = of.InFiles(), of.InFunctions(), of.InFunctions()
	query := graph.Query{Dir: k.Repo.WorkTree}
	s := figures.NewTable(nil, of)
	s.Accept, s.Survival = true, survival
	commits, err := stats.Count(t.Context(), k.Repo, source, query)
	k.Check(err)
	for _, c := range commits {
		s.Add(c)
	}
	if survival {
		k.Check(stats.Survival(t.Context(), k.Repo, source, query, commits, s.Grouped))
	}
	k.Check(s.AddConversations(r, true))
	return s
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestEveryGroupingAddsUp(t *testing.T) {
	t.Parallel()
	k := talk.Server(t)
	for _, d := range stats.Dimensions {
		s := counted(t, k, false, d)
		sum := 0
		for i := range s.Groups {
			sum += s.Groups[i].Added
		}
		if sum != s.Lines.Added || s.Lines.Added != 17 || s.Lines.AI != 13 {
			t.Errorf("%s: the groups have %d of %d lines, %d by agents", d, sum, s.Lines.Added, s.Lines.AI)
		}
		for _, width := range []int{40, 120} {
			plain := s.DrawGroups(cells.Pen{}, width)
			if got := colours.ReplaceAllString(s.DrawGroups(cells.Pen{On: true}, width), ""); len(got) < len(plain)/2 {
				t.Errorf("%s: in colour %q", d, got)
			}
			if !strings.Contains(plain, "17") {
				t.Errorf("%s: the sum is missing:\n%s", d, plain)
			}
		}
		var csv bytes.Buffer
		k.Check(s.WriteCSV(&csv))
		if rows := strings.Count(csv.String(), "\r\n"); rows != len(s.Groups)+1 {
			t.Errorf("%s: %d rows for %d groups:\n%s", d, rows, len(s.Groups), &csv)
		}
		if page := s.Markdown(); !strings.Contains(page, "| ") || !strings.Contains(page, "17") {
			t.Errorf("%s:\n%s", d, page)
		}
	}
}

func TestAllIsDrawnOnAScreen(t *testing.T) {
	t.Parallel()
	k := talk.Server(t)
	s := counted(t, k, true, stats.Agent, stats.Month)
	k.Check(s.AddWaste(t.Context(), k.Reader(), true))
	for _, width := range []int{50, 110} {
		for _, whole := range []bool{false, true} {
			s.Whole = whole
			text := s.Draw(cells.Pen{}, width)
			for _, word := range []string{"claude-code", "conversation", "token"} {
				if !strings.Contains(text, word) {
					t.Errorf("%q is missing:\n%s", word, text)
				}
			}
			if got := colours.ReplaceAllString(s.Draw(cells.Pen{On: true}, width), ""); !strings.Contains(got, "claude-code") {
				t.Errorf("in colour: %s", got)
			}
			if text := s.DrawGroups(cells.Pen{}, width); !strings.Contains(text, "30") {
				t.Errorf("survival is missing:\n%s", text)
			}
		}
	}
	cost := 0.25
	for _, text := range []string{figures.AmountText(12000, &cost), figures.AmountText(12000, nil), figures.WastesText(s.Waste),
		figures.CostsText(&s.Cost)} {
		if text == "" {
			t.Error("an amount without words")
		}
	}
}

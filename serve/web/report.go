package web

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/view"
)

// nameOf returns the name of a writer.
func nameOf(w span.Writer) string {
	switch {
	case w.Kind == "human":
		return "people"
	case w.Kind != "ai":
		return ownerWord(string(w.Kind), w.Older)
	case w.Agent == "":
		return "one of several agents"
	case len(w.Models) == 0:
		return w.Agent
	}
	models := make([]string, len(w.Models))
	for i, m := range w.Models {
		models[i] = view.ModelName(m)
	}
	return w.Agent + " (" + strings.Join(models, ", ") + ")"
}

// reportBody holds the contents of the page.
type reportBody struct {
	span.Report
	Title, Repository, Span string
	Style                   template.CSS // this package's own style sheet
	Times                   timeChart
	Lives                   lifeChart
}

// Otherwise reports whether some added lines were not written by a commit of the range.
func (b *reportBody) Otherwise() bool {
	return slices.ContainsFunc(b.Writers, func(w span.Writer) bool { return w.Otherwise > 0 })
}

// reportFact is a fact for a reviewer, with its places.
type reportFact struct {
	Text         string
	Shown, Below []span.Rewritten // Below are the places that are folded
	Left         int              // number of places that are left out
}

const (
	mostPlaces = 10 // shown places of one fact
	mostFolded = 90 // folded places
)

// Facts lists the facts for a reviewer.
func (b *reportBody) Facts() (out []reportFact) {
	for _, fact := range []struct {
		n      int
		text   string
		places []span.Rewritten
	}{
		{b.Result.Unknown - b.Result.Older, "nobody vouches for", runsOf(b.Unknown)},
		{b.Limits.Several, "by one of several agents", runsOf(b.Shared)},
		{b.Limits.Low, "by an agent, with weak evidence", runsOf(b.Weak)},
		{b.Limits.Rewritten, "by a person, who replaced an agent's line", b.Rewritten},
		{b.Result.Older, "older than the recording", nil},
	} {
		if fact.n == 0 || b.Limits.Nothing {
			continue
		}
		one := reportFact{Text: numbers.Count(fact.n, "line") + " " + fact.text, Shown: fact.places}
		if n := len(fact.places); n > mostPlaces+1 {
			last := min(n, mostPlaces+mostFolded)
			one.Shown, one.Below, one.Left = fact.places[:mostPlaces], fact.places[mostPlaces:last], n-last
		}
		out = append(out, one)
	}
	return out
}

func runsOf(list []span.Run) []span.Rewritten {
	out := make([]span.Rewritten, len(list))
	for i := range list {
		out[i].Run = list[i]
	}
	return out
}

// Report draws the output of git trace report as a single page without script. Style and charts are part of the page.
func Report(ctx context.Context, repo *refs.Repo, ask Ask, prompts string, about ...string) ([]byte, error) {
	a := &asking{ask: ask, repo: repo}
	style, err := assets.ReadFile("static/page.css")
	if err != nil {
		return nil, err
	}
	b := &reportBody{Repository: filepath.Base(repo.Top())}
	b.Style = template.CSS(style)
	args := append([]string{"report", "--json", "--show-prompts=" + prompts}, about...)
	if err := a.into(ctx, &b.Report, args...); err != nil {
		return nil, err
	}
	b.Span = b.Range.Given
	if b.Span == "" {
		b.Span = "this branch"
	}
	b.Title = "Who wrote " + b.Span
	var weeks, lives figures.Stats
	err = all(
		func() error { return optional(a.into(ctx, &weeks, "stats", "--json", "--by=week", b.Range.Dotted())) },
		func() error {
			return optional(a.into(ctx, &lives, "stats", "--json", "--by=agent", "--survival", b.Range.Dotted()))
		},
	)
	if err != nil {
		return nil, err
	}
	b.Times, b.Lives = timesOf(weeks.Groups, "week"), livesOf(lives.Groups)
	var out bytes.Buffer
	if err := pages().ExecuteTemplate(&out, "report", b); err != nil {
		return nil, fmt.Errorf("draw the report: %w", err)
	}
	return marked(out.Bytes()), nil
}

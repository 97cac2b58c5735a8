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
	"github.com/git-trace/git-trace/view"
)

// resultCounts counts the lines of a result by owner.
type resultCounts struct {
	Lines int `json:"lines"`
	lineCounts
}

// reportAnswer is the part of git trace report --json that the page shows.
type reportAnswer struct {
	Range struct {
		Given string   `json:"given"`
		From  refs.OID `json:"from"`
		To    refs.OID `json:"to"`
		Fork  bool     `json:"merge_base"`
	} `json:"range"`
	Stats         statsAnswer    `json:"stats"`
	Result        resultCounts   `json:"result"`
	Removed       int            `json:"removed"`
	Writers       []reportWriter `json:"writers"`
	Conversations []struct {
		Trace   string        `json:"trace"`
		Agent   string        `json:"agent"`
		Models  []string      `json:"models"`
		Prompts int           `json:"prompts"`
		Written int           `json:"written"`
		Result  int           `json:"result"`
		Gone    int           `json:"gone"`
		Usage   *view.Usage   `json:"usage"`
		Texts   []view.Prompt `json:"texts"`
		Files   []reportLines `json:"files"`
	} `json:"conversations"`
	Files []struct {
		Path    string       `json:"path"`
		Added   resultCounts `json:"added"`
		Removed int          `json:"removed"`
	} `json:"files"`
	Unknown []struct {
		reportLines
		Start int `json:"start"`
	} `json:"unknown"`
	Rewritten []struct {
		reportLines
		Start int    `json:"start"`
		Trace string `json:"trace"`
	} `json:"rewritten"`
	Reviewers []struct {
		How     string `json:"how"`
		Who     string `json:"who"`
		Commits int    `json:"commits"`
	} `json:"reviewers"`
	Limits struct {
		Nothing   bool `json:"nothing_recorded"`
		Several   int  `json:"one_of_several"`
		Low       int  `json:"low_confidence"`
		Rewritten int  `json:"changed_by_people"`
	} `json:"limits"`
}

type reportLines struct {
	Path  string `json:"path"`
	Lines int    `json:"lines"`
}

type reportWriter struct {
	Kind      string   `json:"kind"`
	Older     bool     `json:"older"`
	Agent     string   `json:"agent"`
	Models    []string `json:"models"`
	Written   int      `json:"written"`
	Result    int      `json:"result"`
	Gone      int      `json:"gone"`
	Otherwise int      `json:"otherwise"`
}

// Name names who wrote.
func (w reportWriter) Name() string {
	switch {
	case w.Kind == "human":
		return "people"
	case w.Kind != "ai":
		return ownerWord(w.Kind, w.Older)
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
	reportAnswer
	Title, Repository, Span string
	Style                   template.CSS // this package's own
	Times                   timeChart
	Lives                   lifeChart
}

// Otherwise reports whether lines came that no commit of the range wrote.
func (b *reportBody) Otherwise() bool {
	return slices.ContainsFunc(b.Writers, func(w reportWriter) bool { return w.Otherwise > 0 })
}

// Facts lists the facts for a reviewer.
func (b *reportBody) Facts() (out []string) {
	for _, fact := range []struct {
		n    int
		text string
	}{
		{b.Result.Unknown - b.Result.Older, "nobody vouches for"},
		{b.Limits.Several, "of an agent, but one of several could have written it"},
		{b.Limits.Low, "of an agent on weak evidence"},
		{b.Limits.Rewritten, "of a person in the place of an agent's line"},
		{b.Result.Older, "older than the recording"},
	} {
		if fact.n > 0 && !b.Limits.Nothing {
			out = append(out, numbers.Count(fact.n, "line")+" "+fact.text)
		}
	}
	return out
}

// Report draws what git trace report prints as one page: without script, with the style and the charts in it.
func Report(ctx context.Context, repo *refs.Repo, ask Ask, prompts string, span ...string) ([]byte, error) {
	a := &answers{ask: ask, repo: repo}
	style, err := assets.ReadFile("static/page.css")
	if err != nil {
		return nil, err
	}
	b := &reportBody{Repository: filepath.Base(repo.Top())}
	b.Style = template.CSS(style)
	args := append([]string{"report", "--json", "--show-prompts=" + prompts}, span...)
	if err := a.into(ctx, &b.reportAnswer, args...); err != nil {
		return nil, err
	}
	from, to := b.Range.From.String(), b.Range.To.String()
	b.Span = b.Range.Given
	if b.Span == "" {
		b.Span = "this branch"
	}
	b.Title = "Who wrote " + b.Span
	dots := ".."
	if b.Range.Fork {
		dots = "..."
	}
	var weeks, lives statsAnswer
	err = all(
		func() error { return optional(a.into(ctx, &weeks, "stats", "--json", "--by=week", from+dots+to)) },
		func() error {
			return optional(a.into(ctx, &lives, "stats", "--json", "--by=agent", "--survival", from+dots+to))
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

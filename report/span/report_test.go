package span_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// branch is a repository whose branch topic has an agent's and a person's commit.
func branch(t *testing.T) (*talk.Talk, span.Source) {
	t.Helper()
	k := talk.Server(t)
	k.Git("branch", "main-then")
	k.Git("checkout", "-q", "-b", "topic")
	k.Commit("server: say what it does\n\nReviewed-by: R <r@example.com>")
	k.Anchor()
	k.Ask("lower the limit")
	k.Change("server.go", "limit := 3", "limit := 2")
	k.Put("more/file.go", "package more\n\nvar a = 1\n")
	k.Say("it is lower")
	k.Commit("server: lower the limit")
	k.Anchor()
	k.Write("server.go", "// Package server serves well.\npackage server\n\nfunc Serve() int {\n\tlimit := 4\n\treturn limit\n}\n")
	k.Write("unseen.txt", "a\nb\n")
	k.Commit("server: a person's turn")
	k.Anchor()
	k.Store()
	r := k.Reader()
	config, err := k.Repo.Config(t.Context())
	k.Check(err)
	return k, span.Source{Known: r,
		Lines: stats.Source{Source: graph.Source{Log: r.Log(), Searcher: r.Searcher(), AtOnce: view.SearchBatch}, Search: r.Searcher()},
		Diff: func(_, dotted string) (*diff.Diff, error) {
			opts, err := diff.Parse([]string{"--no-relative", dotted, "--"})
			if err != nil {
				return nil, err
			}
			return diff.Read(t.Context(), k.Repo, k.Repo.WorkTree, opts, diff.Source{Resolver: r.Owners(),
				Snapshot: r.Owners().Remembering(), Log: r.Log(), Searcher: r.Searcher(), Config: config,
				Added: func(context.Context, []refs.OID) (map[refs.OID]int, error) { return nil, nil }})
		}}
}

func short(id events.TraceID) string { return string(id)[:4] }

func TestARangeIsReported(t *testing.T) {
	t.Parallel()
	k, from := branch(t)
	about, err := span.Parse(t.Context(), k.Repo, "main...topic")
	k.Check(err)
	for _, prompts := range []span.Prompts{span.NoPrompts, span.FirstPrompt, span.AllPrompts} {
		r, err := span.Of(t.Context(), k.Repo, from, about, prompts)
		k.Check(err)
		if r.Stats.Lines.Commits != 3 || r.Result.Lines == 0 || r.Result.AI == 0 || len(r.Conversations) != 1 ||
			r.Limits.Reviewed != 1 || len(r.Files) != 3 {
			t.Fatalf("%+v", r)
		}
		page, err := span.Markdown(r, short, 0)
		k.Check(err)
		for _, word := range []string{"claude-code", "server.go", "more/file.go", "R"} {
			if !strings.Contains(page, word) {
				t.Errorf("%q is missing:\n%s", word, page)
			}
		}
		if has := strings.Contains(page, "lower the limit"); has != (prompts == span.AllPrompts) {
			t.Errorf("%s: %v\n%s", prompts, has, page)
		}
		cut, err := span.Markdown(r, short, len(page)-200)
		if err != nil || len(cut) > len(page)-200 || cut == page {
			t.Errorf("%d of %d bytes, %v", len(cut), len(page), err)
		}
		if _, err := span.Markdown(r, short, 10); err == nil {
			t.Error("a page of ten bytes")
		}
		raw, err := json.Marshal(r)
		if err != nil || !strings.Contains(string(raw), span.Schema) {
			t.Error(err)
		}
	}
}

func TestARangeIsAudited(t *testing.T) {
	t.Parallel()
	k, from := branch(t)
	for given, used := range map[string]string{"main...topic": "claude-code", "topic^!": "no", "main-then..main": ""} {
		about, err := span.Parse(t.Context(), k.Repo, given)
		k.Check(err)
		r, err := span.Of(t.Context(), k.Repo, from, about, span.AllPrompts)
		k.Check(err)
		audit := span.NewAudit(r)
		k.Check(audit.Proof.Add(t.Context(), k.Repo))
		text := audit.Draw(short)
		if !strings.Contains(strings.ToLower(text), used) || !strings.Contains(text, "log") {
			t.Errorf("%s: %q is missing:\n%s", given, used, text)
		}
	}
}

func TestARangeIsRead(t *testing.T) {
	t.Parallel()
	k, _ := branch(t)
	k.Git("tag", "v1", "main")
	k.Git("config", "branch.topic.remote", ".")
	k.Git("config", "branch.topic.merge", "refs/heads/main")
	for given, want := range map[string]string{
		"": "main topic", "topic": "main topic", "main...topic": "main topic", "v1..topic": "v1 topic", "HEAD^!": "HEAD~1 HEAD",
		"nosuch": "", "main": "", "main..nosuch": "", "--all": "",
	} {
		about, err := span.Parse(t.Context(), k.Repo, given)
		if want == "" {
			if err == nil {
				t.Errorf("%s is read as %+v", given, about)
			}
			continue
		}
		from, to, _ := strings.Cut(want, " ")
		if err != nil || fmt.Sprint(about.From, about.To) != fmt.Sprint(k.OID(from), k.OID(to)) || about.Dotted() == "" {
			t.Errorf("%q: %+v, %v", given, about, err)
		}
	}
	if hint := span.OtherRange(t.Context(), k.Repo, k.Head()); !strings.Contains(hint, "git trace") && hint == "" {
		t.Error(hint)
	}
	if got := span.Upstream(t.Context(), k.Repo, "topic"); got != "main" {
		t.Error(got)
	}
}

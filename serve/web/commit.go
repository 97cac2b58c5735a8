package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/diff"
)

type commitBody struct {
	Commit   *graph.CommitJSON // nil for a range
	Message  string
	From, To string
	Diff     diff.Document
	Owned    bool // git trace diff gave the owners of the lines
	Files    []*patchFile
	Split    bool
	Added    int
	Removed  int
	Only     bool   // hunks without lines of agents are not shown
	Other    string // address of the page in the other form, split or unified
	Fewer    string // address of the page with Only switched
	Rewrites []answers.Rewrite
	older    string // the older side: From, or the empty tree
	Child    string // the next commit on the way to HEAD, if it is among the newest
}

// `committed` returns the page of a commit: its diff with its first parent, with the owners of lines.
func committed(q *question) (string, string, any, error) {
	id, err := q.files.commit(q.ctx, q.r.PathValue("id"))
	if err != nil {
		return "", "", nil, err
	}
	if id.String() != q.r.PathValue("id") {
		return "", "", nil, &moved{(&url.URL{Path: at("commit", id), RawQuery: q.r.URL.RawQuery}).String()}
	}
	objects := q.repo.Objects()
	defer objects.Close()
	c, err := objects.Commit(id)
	if err != nil {
		return "", "", nil, err
	}
	body := &commitBody{To: id.String(), Message: strings.TrimSpace(c.Message)}
	if len(c.Parents) > 0 {
		_, err := objects.Commit(c.Parents[0])
		switch {
		case err == nil:
			body.From = c.Parents[0].String()
		case !errors.Is(err, refs.ErrMissing): // in a shallow clone the parent of the oldest commit is missing
			return "", "", nil, err
		}
	}
	var answer answers.Show
	if err := all(
		func() error { return q.into(&answer, "show", "--json", body.To) },
		func() error { return body.fill(q) },
		func() error {
			body.Child = q.files.childOf(q.ctx, body.To)
			return nil
		},
	); err != nil {
		return "", "", nil, err
	}
	q.digits = answer.IDDigits
	if len(answer.Objects) == 1 && answer.Objects[0].Commit != nil {
		told := answer.Objects[0].Commit
		body.Commit, body.Rewrites = &told.CommitJSON, told.Rewrites
	}
	title, _, _ := strings.Cut(body.Message, "\n")
	return title, "commit", body, nil
}

// endsOf splits a range: A..B, or A...B, which starts at the merge base (parted is true). For a single revision, two is
// false.
func endsOf(span string) (from, to string, parted, two bool) {
	if from, to, parted = strings.Cut(span, "..."); parted {
		return from, to, true, true
	}
	from, to, two = strings.Cut(span, "..")
	return from, to, false, two
}

// `ranged` returns the page of a range of commits: A..B, or A...B from the merge base.
func ranged(q *question) (string, string, any, error) {
	given := q.r.PathValue("range")
	from, to, parted, two := endsOf(given)
	if !two {
		return "", "", nil, fmt.Errorf("range '%s': %w: name two revisions, A..B or A...B", given, errBadQuestion)
	}
	if to == "" {
		to = "HEAD"
	}
	var ends [2]refs.OID
	for i, rev := range []string{from, to} {
		var err error
		if ends[i], err = q.files.commit(q.ctx, rev); err != nil {
			return "", "", nil, err
		}
	}
	dots := ".."
	if parted {
		dots = "..."
	}
	if whole := ends[0].String() + dots + ends[1].String(); whole != given {
		return "", "", nil, &moved{(&url.URL{Path: at("diff", whole), RawQuery: q.r.URL.RawQuery}).String()}
	}
	body := &commitBody{From: ends[0].String(), To: ends[1].String()}
	if parted {
		base, err := q.repo.Git(q.ctx, nil, "merge-base", body.From, body.To)
		if err != nil {
			return "", "", nil, fmt.Errorf("'%s' and '%s' have nothing in common: %w", from, to, errNotFound)
		}
		body.From = strings.TrimSpace(string(base))
	}
	return fmt.Sprintf("%.7s%s%.7s", ends[0], dots, ends[1]), "commit", body, body.fill(q)
}

// fill reads the diff and the owners of its lines.
func (b *commitBody) fill(q *question) error {
	b.Split, b.Only = q.r.URL.Query().Get("view") == "split", q.r.URL.Query().Has(onlyAgents)
	address := func(split, only bool) string {
		ask := url.Values{}
		if split {
			ask.Set("view", "split")
		}
		if only {
			ask.Set(onlyAgents, "1")
		}
		return strings.TrimSuffix(q.r.URL.EscapedPath()+"?"+ask.Encode(), "?")
	}
	if b.older = b.From; b.older == "" {
		b.older = q.repo.Format.EmptyTree().String()
	}
	b.Other, b.Fewer = address(!b.Split, b.Only), address(b.Split, !b.Only)
	err := all(
		func() (err error) {
			b.Files, err = q.files.patch(q.ctx, b.From, b.To)
			colour(b.Files)
			return err
		},
		func() error {
			err := q.into(&b.Diff, "diff", "--json", "--removed", b.older+".."+b.To)
			var refused *Refusal
			if b.Owned = err == nil; errors.As(err, &refused) {
				return nil // the diff is shown without owners
			}
			return err
		},
	)
	runs := map[string][]*diff.RunJSON{}
	for _, owned := range b.Diff.Files {
		runs[owned.Path] = owned.Runs
	}
	for _, file := range b.Files {
		b.Added += file.Added
		b.Removed += file.Removed
		file.own(runs[file.Path])
	}
	b.giveLives(q)
	if b.Only {
		b.leaveOut()
	}
	return err
}

func (b *commitBody) Drawn() []*patchFile { return b.Files[:min(len(b.Files), mostDiffFiles)] }

// Undrawn returns the number of files that are not drawn.
func (b *commitBody) Undrawn() int { return len(b.Files) - len(b.Drawn()) }

// Command returns the command that prints the whole diff.
func (b *commitBody) Command() string { return "git trace diff " + b.older + " " + b.To }

// More returns the rest of the message after the part in the page's title.
func (b *commitBody) More() string {
	title, rest, _ := strings.Cut(b.Message, "\n")
	if len(title) > mostTitle {
		return title
	}
	return rest
}

// mostTitle is the length of a title's longest part, in cells, each of at least a byte.
const mostTitle = 200

// `By` returns the prompts that added lines, the one with the most lines first.
func (b *commitBody) By() []graph.ContributorJSON {
	if b.Commit != nil {
		nobody := func(c graph.ContributorJSON) bool { return c.Trace == nil }
		return slices.DeleteFunc(slices.Clone(b.Commit.Contributors), nobody)
	}
	type prompt struct {
		trace events.TraceID
		index int
	}
	of := map[prompt]int{}
	var out []graph.ContributorJSON
	for _, file := range b.Diff.Files {
		for _, run := range file.Runs {
			if run.Side != "new" || run.Trace == nil {
				continue
			}
			key := prompt{trace: *run.Trace}
			if run.Prompt != nil {
				key.index = *run.Prompt
			}
			at, seen := of[key]
			if !seen {
				at, of[key] = len(out), len(out)
				out = append(out, graph.ContributorJSON{Trace: run.Trace, Agent: run.Agent})
				if run.Prompt != nil {
					out[at].Prompt = &graph.PromptJSON{Index: *run.Prompt}
				}
			}
			out[at].Lines += run.Count
			out[at].Sources = graph.Tell(out[at].Sources, graph.Teller{Writer: writerOf(run.Source), Lines: run.Count})
		}
	}
	slices.SortStableFunc(out, func(x, y graph.ContributorJSON) int { return cmp.Compare(y.Lines, x.Lines) })
	return out
}

// writerOf returns the clone whose log names the owner; empty for this clone.
func writerOf(s *blame.SourceJSON) string {
	if s == nil {
		return ""
	}
	return s.Writer
}

// giveLives sets the age of removed lines: the time from the commit that added them to this commit.
func (b *commitBody) giveLives(q *question) {
	born := map[string]time.Time{}
	objects := q.repo.Objects()
	defer objects.Close()
	timeOf := func(commit string) time.Time {
		at, known := born[commit]
		if known || len(born) == mostBirths {
			return at
		}
		if id, err := refs.ParseOID(commit); err == nil {
			if c, err := objects.Commit(id); err == nil { // missing in a shallow clone
				at = c.Author.When
			}
		}
		born[commit] = at
		return at
	}
	end := timeOf(b.To)
	for _, file := range b.Files {
		for _, hunk := range file.Hunks {
			var last *diff.RunJSON
			for _, row := range hunk.Rows {
				owner := row.Owner
				if row.Kind != "old" || owner == nil || owner.Commit == nil || owner == last {
					continue
				}
				last = owner
				if began := timeOf(owner.Commit.String()); !began.IsZero() && end.After(began) {
					row.Lived = livedFor(began, end)
				}
			}
		}
	}
}

// livedFor says how long a line lived.
func livedFor(began, end time.Time) string {
	long, is := strings.CutSuffix(numbers.Ago(began, end), " ago")
	if !is { // the text has no duration
		return "lived a moment"
	}
	return "lived " + long
}

// mostBirths limits the commits that are read for the ages of lines.
const mostBirths = 500

// leaveOut removes the hunks without lines of agents.
func (b *commitBody) leaveOut() {
	agents := func(r *patchRow) bool { return r.Owner != nil && (r.Owner.Trace != nil || r.Owner.Contributor == "ai") }
	for _, file := range b.Files {
		file.Hunks = slices.DeleteFunc(file.Hunks, func(h *patchHunk) bool { return !slices.ContainsFunc(h.Rows, agents) })
	}
	b.Files = slices.DeleteFunc(b.Files, func(f *patchFile) bool { return len(f.Hunks) == 0 })
}

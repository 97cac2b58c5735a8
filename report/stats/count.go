package stats

import (
	"context"
	"math"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// Lines holds the number of added lines by owner: AI, Human and Unknown add up to Added. Older is the part of Unknown
// that is in commits older than the recording.
type Lines struct {
	Commits int `json:"commits"`
	Added   int `json:"added"`
	AI      int `json:"ai"` // includes lines that an agent and a person both wrote
	Human   int `json:"human"`
	Unknown int `json:"unknown"`
	Older   int `json:"older"`
	// Disputed counts the lines to which other clones' logs give different owners with equal evidence. They count for the
	// shown owner.
	Disputed int `json:"disputed,omitempty"`
}

// Owned returns the lines by owner.
func (l Lines) Owned() numbers.Owned {
	return numbers.Owned{AI: l.AI, Human: l.Human, Unknown: l.Unknown, Older: l.Older}
}

func (l *Lines) Add(c *graph.Commit) {
	l.Join(Lines{1, c.Added, c.AI, c.Human, c.Unknown, c.Older(), c.Disputed})
}

// Join adds other lines.
func (l *Lines) Join(o Lines) {
	l.Commits += o.Commits
	l.Added += o.Added
	l.AI += o.AI
	l.Human += o.Human
	l.Unknown += o.Unknown
	l.Older += o.Older
	l.Disputed += o.Disputed
}

// `of` adds a number of lines to one kind of owner.
func (l *Lines) of(kind events.OwnerKind, lines int) {
	l.Added += lines
	switch kind {
	case events.OwnerAI:
		l.AI += lines
	case events.OwnerHuman:
		l.Human += lines
	case events.OwnerOlder:
		l.Unknown += lines
		l.Older += lines
	default:
		l.Unknown += lines
	}
}

// Searched remembers how many lines the searched commits added. The result `known` is false for a commit that was not
// counted. A reader's search implements it.
type Searched interface {
	Added(commit refs.OID) (lines int, known bool)
	// Counted stores the number of lines that git counted in a commit.
	Counted(commit refs.OID, lines int)
}

// Source provides the owners of lines.
type Source struct {
	graph.Source
	Search Searched
	// ByFile also finds the files of lines without a known owner.
	ByFile bool
	// ByFunction also finds the functions of all lines. The commits must then keep Believed.
	ByFunction bool
	Tell       func(done, commits int) // receives the progress of Survival; may be nil
}

// Count returns the commits of a query with all lines that they added. The lines of a commit's contributors add up to
// them. In a commit without evidence, all lines that git counts are unknown.
func Count(ctx context.Context, repo *refs.Repo, from Source, query graph.Query) ([]*graph.Commit, error) {
	var all []*graph.Commit
	err := from.each(ctx, repo, query, math.MaxInt, func(list []*graph.Commit) error {
		all = list
		return nil
	})
	return all, err
}

// eachBatch is the number of commits in one call of git for Each.
const eachBatch = 1024

// Each yields the commits of Count in the same order, and keeps only few in memory.
func Each(ctx context.Context, repo *refs.Repo, from Source, query graph.Query,
	yield func(*graph.Commit) error) error {
	return from.each(ctx, repo, query, eachBatch, func(list []*graph.Commit) error {
		for _, c := range list {
			if err := yield(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// `each` yields the commits in batches of most commits.
func (s Source) each(ctx context.Context, repo *refs.Repo, query graph.Query, most int,
	yield func([]*graph.Commit) error) error {
	b := counted{Source: s}
	for commit, err := range graph.Walk(ctx, repo, s.Source, query) {
		if err != nil {
			return err
		}
		b.take(commit)
		if len(b.all) < most {
			continue
		}
		if err := b.complete(ctx, repo); err != nil {
			return err
		}
		if err := yield(b.all); err != nil {
			return err
		}
		b = counted{Source: s}
	}
	if err := b.complete(ctx, repo); err != nil {
		return err
	}
	return yield(b.all)
}

// `counted` holds the commits whose lines are being counted. Commits in bare have no evidence. In commits in open, the
// files of some lines are unknown.
type counted struct {
	Source
	all, bare, open []*graph.Commit
}

func (b *counted) take(commit *graph.Commit) {
	b.all = append(b.all, commit)
	switch {
	case commit.Anchored:
		if b.ByFile && commit.Nobodys() > 0 {
			b.open = append(b.open, commit)
		}
	case commit.Within != nil:
		unknown(commit, commit.Within)
	case len(commit.Parents) < 2:
		n, known := b.Search.Added(commit.ID)
		if known && (n == 0 || !b.ByFile) {
			commit.Added, commit.Unknown = n, n
		} else {
			b.bare = append(b.bare, commit)
		}
	}
}

// complete gets the missing figures from git.
func (b *counted) complete(ctx context.Context, repo *refs.Repo) error {
	files, err := graph.Added(ctx, repo, ids(b.bare, b.open))
	if err != nil {
		return err
	}
	for _, c := range b.bare {
		counted, readable := files[c.ID]
		if unknown(c, counted); readable {
			b.Search.Counted(c.ID, c.Added)
		}
	}
	for _, c := range b.open {
		c.Place(files[c.ID], c.Nobodys())
	}
	for _, c := range b.all { // lines beyond git's count have no known file
		if left := c.Nobodys(); left > 0 {
			c.Contributors = append(c.Contributors, graph.Contributor{Kind: c.Nobody, Lines: left})
		}
	}
	if b.ByFunction {
		return placeCommits(ctx, repo, b.all)
	}
	return nil
}

// unknown counts all lines that git found in a commit as unknown.
func unknown(c *graph.Commit, files map[string]int) {
	for _, n := range files {
		c.Added += n
	}
	c.Unknown = c.Added
	c.Place(files, c.Added)
}

func ids(lists ...[]*graph.Commit) []refs.OID {
	var out []refs.OID
	for _, list := range lists {
		for _, c := range list {
			out = append(out, c.ID)
		}
	}
	return out
}

package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Anchors finds the events that name a commit, oldest first. The index of the log satisfies it.
type Anchors interface {
	ByCommit(commit refs.OID) ([]events.Event, error)
}

// Searcher finds what is not recorded of commits, as far as it can be found.
type Searcher interface {
	Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
}

// Source is where contributors come from: the anchors in the logs and, for commits that have none, a searcher. The
// searcher may be nil.
type Source struct {
	Anchors  Anchors
	Searcher Searcher
}

// Commits are searched in batches, the first of which fill a screen.
const (
	firstBatch = 24
	mostBatch  = 512
)

// Walk gives the commits of a query as git finds them. The first error ends it.
func Walk(ctx context.Context, repo *refs.Repo, from Source, q Query) iter.Seq2[*Commit, error] {
	return func(yield func(*Commit, error) bool) {
		var named within
		if len(q.Paths) > 0 {
			var err error
			if named, err = readWithin(ctx, repo, q); err != nil {
				yield(nil, err)
				return
			}
		}
		b := batch{named: named, Source: from, ctx: ctx, size: firstBatch, yield: func(c *Commit) bool { return yield(c, nil) }}
		err := gitLog(ctx, repo, q, b.take)
		if err == nil {
			err = b.flush()
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// batch holds commits back until the search for those without an anchor pays.
type batch struct {
	Source
	named within          // nil where all files count
	ctx   context.Context // a batch lives as long as the walk
	size  int
	list  []*Commit
	yield func(*Commit) bool
}

func (b *batch) take(c *Commit) error {
	recorded, err := b.Anchors.ByCommit(c.ID)
	if err != nil {
		return fmt.Errorf("read anchors of %s: %w", c.Short, err)
	}
	if anchor, ok := bestAnchor(c.ID, recorded); ok {
		c.credit(anchor)
	}
	b.list = append(b.list, c)
	if b.Searcher != nil && len(b.list) < b.size {
		return nil
	}
	b.size = min(2*b.size, mostBatch)
	return b.flush()
}

// flush searches and hands on.
func (b *batch) flush() error {
	var bare []refs.OID
	for _, c := range b.list {
		if !c.Anchored {
			bare = append(bare, c.ID)
		}
	}
	if len(bare) > 0 && b.Searcher != nil {
		found, err := b.Searcher.Commits(b.ctx, bare)
		if err != nil {
			return err
		}
		for _, c := range b.list {
			if data, ok := found[c.ID]; ok && !c.Anchored {
				c.credit([]events.CommitData{data})
			}
		}
	}
	list := b.list
	b.list = nil
	for _, c := range list {
		if b.named != nil {
			c.limit(b.named[c.ID])
		}
		if !b.yield(c) {
			return errEnough
		}
	}
	return nil
}

// errEnough ends a walk that its reader has had enough of.
var errEnough = errors.New("enough")

// Build collects the commits of a query.
func Build(ctx context.Context, repo *refs.Repo, from Source, q Query) (*Graph, error) {
	g := &Graph{}
	for c, err := range Walk(ctx, repo, from, q) {
		if err != nil {
			return nil, err
		}
		g.Commits = append(g.Commits, *c)
	}
	return g, nil
}

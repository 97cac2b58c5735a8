package graph

import (
	"context"
	"errors"
	"iter"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/refs"
)

// Source provides the contributors of commits: from the anchors in the logs, and for commits without an anchor from a
// searcher, which may be nil.
type Source struct {
	Log      belief.Log
	Searcher belief.Searcher
	// AtOnce is the number of commits that are searched together, or 0 if somebody waits for the first ones.
	AtOnce int
	Keep   bool // set Commit.Believed
}

// Commits are searched in batches. The first batches are small enough to fill a screen soon.
const (
	firstBatch = 24
	mostBatch  = 512
)

// Walk yields the commits of a query in the order in which git finds them. It ends at the first error.
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
		began, err := belief.BeginningOf(from.Log)
		if err != nil {
			yield(nil, err)
			return
		}
		b := batch{named: named, began: began, Source: from, ctx: ctx, size: firstBatch, most: mostBatch,
			yield: func(c *Commit) bool { return yield(c, nil) }}
		if from.AtOnce > 0 {
			b.size, b.most = from.AtOnce, from.AtOnce
		}
		err = gitLog(ctx, repo, q, b.take)
		if err == nil {
			err = b.flush()
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// batch collects commits until a search for commits without an anchor is worth its cost.
type batch struct {
	Source
	named within // nil if all files count
	began belief.Beginning
	ctx   context.Context // a batch lives as long as the walk
	size  int
	most  int
	list  []*Commit
	yield func(*Commit) bool
}

func (b *batch) take(c *Commit) error {
	b.list = append(b.list, c)
	if b.Searcher != nil && len(b.list) < b.size {
		return nil
	}
	b.size = min(2*b.size, b.most)
	return b.flush()
}

// `flush` searches the collected commits and yields them.
func (b *batch) flush() error {
	ids := make([]refs.OID, len(b.list))
	for i, c := range b.list {
		ids[i] = c.ID
	}
	known, err := belief.All(b.ctx, b.Log, b.Searcher, ids)
	if err != nil {
		return err
	}
	list := b.list
	b.list = nil
	for i, c := range list {
		c.Nobody = b.began.Nobodys(known[i], c.Committed)
		if known[i].Speaks() {
			c.credit(known[i])
			if b.Keep {
				c.Believed = known[i]
			}
		}
		if b.named != nil {
			c.Within = b.named[c.ID]
			c.limit(c.Within)
		}
		if !b.yield(c) {
			return errEnough
		}
	}
	return nil
}

// errEnough ends a walk whose caller has stopped reading.
var errEnough = errors.New("enough")

// Build returns all commits of a query.
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

package graph

import (
	"context"
	"errors"
	"iter"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/refs"
)

// Source gives contributors: the anchors in the logs and, for commits without one, a searcher, which may be nil.
type Source struct {
	Log      belief.Log
	Searcher belief.Searcher
	// AtOnce is the number of commits that are searched together if nobody waits for the first ones, else 0.
	AtOnce int
	Keep   bool // commits keep their believed owners
}

// Commits are searched in batches. The first batches fill a screen.
const (
	firstBatch = 24
	mostBatch  = 512
)

// Walk returns the commits of a query as git finds them. The first error ends it.
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

// batch holds commits back until a search for commits without an anchor pays.
type batch struct {
	Source
	named within // nil where all files count
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

// flush searches and passes the commits on.
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

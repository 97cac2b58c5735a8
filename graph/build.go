package graph

import (
	"context"
	"errors"
	"iter"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Searcher finds what is not recorded of commits, as far as it can be found.
type Searcher interface {
	// Commits is about commits without an anchor.
	Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
	// Elsewhere is about commits whose anchor does not know all lines.
	Elsewhere(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
}

// Source is where contributors come from: the anchors in the logs and, for commits that have none, a searcher. The
// searcher may be nil.
type Source struct {
	Log      belief.Log
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
	known []*belief.Commit // of the list
	yield func(*Commit) bool
}

func (b *batch) take(c *Commit) error {
	known, err := belief.Of(b.Log, c.ID)
	if err != nil {
		return err
	}
	if known.Anchored {
		c.credit(known)
	}
	b.list, b.known = append(b.list, c), append(b.known, known)
	if b.Searcher != nil && len(b.list) < b.size {
		return nil
	}
	b.size = min(2*b.size, mostBatch)
	return b.flush()
}

// flush searches and hands on.
func (b *batch) flush() error {
	if err := b.search(); err != nil {
		return err
	}
	list := b.list
	b.list, b.known = nil, nil
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

// search fills what nobody knows with what can be found.
func (b *batch) search() error {
	if b.Searcher == nil {
		return nil
	}
	var bare, open []refs.OID
	for _, k := range b.known {
		switch {
		case !k.Anchored:
			bare = append(bare, k.ID)
		case k.Unknown > 0:
			open = append(open, k.ID)
		}
	}
	found, err := b.Searcher.Commits(b.ctx, bare)
	if err != nil {
		return err
	}
	more, err := b.Searcher.Elsewhere(b.ctx, open)
	if err != nil {
		return err
	}
	for i, k := range b.known {
		data, ok := found[k.ID]
		if k.Anchored {
			data, ok = more[k.ID]
		}
		if ok {
			k.Fill(&data)
			b.list[i].credit(k)
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

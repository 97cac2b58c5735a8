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

// Walk gives the commits of a query as git finds them. The first error ends it.
func Walk(ctx context.Context, repo *refs.Repo, anchors Anchors, q Query) iter.Seq2[*Commit, error] {
	return func(yield func(*Commit, error) bool) {
		err := gitLog(ctx, repo, q, func(c *Commit) error {
			recorded, err := anchors.ByCommit(c.ID)
			if err != nil {
				return fmt.Errorf("read anchors of %s: %w", c.Short, err)
			}
			if anchor, ok := bestAnchor(c.ID, recorded); ok {
				c.credit(anchor)
			}
			if !yield(c, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough ends a walk that its reader has had enough of.
var errEnough = errors.New("enough")

// Build collects the commits of a query.
func Build(ctx context.Context, repo *refs.Repo, anchors Anchors, q Query) (*Graph, error) {
	g := &Graph{}
	for c, err := range Walk(ctx, repo, anchors, q) {
		if err != nil {
			return nil, err
		}
		g.Commits = append(g.Commits, *c)
	}
	return g, nil
}

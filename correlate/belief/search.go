package belief

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Searcher finds owners that are not recorded. A *unseen.Search satisfies it.
type Searcher interface {
	// Commits returns the findings about commits that no hook reported.
	Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
	// Carried returns the claims about commits that these replaced.
	Carried(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
	// Elsewhere returns the anchors in other logs for commits with an incomplete anchor.
	Elsewhere(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
}

// All weighs the anchors of commits, and searches the unknown lines; the searcher may be nil. All commits are searched
// together, so git is asked once.
func All(ctx context.Context, log Log, searcher Searcher, commits []refs.OID) ([]*Commit, error) {
	out := make([]*Commit, len(commits))
	var bare, open []*Commit
	for i, id := range commits {
		c, err := weigh(log, id)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	if err := hold(ctx, log, out...); err != nil {
		return nil, err
	}
	for _, c := range out {
		switch {
		case !c.Heard:
			bare = append(bare, c)
		case c.Unknown+c.Human > 0:
			open = append(open, c)
		}
	}
	if searcher == nil {
		return out, nil
	}
	if _, err := fillAll(ctx, searcher.Commits, bare); err != nil {
		return nil, err
	}
	left, err := fillAll(ctx, searcher.Carried, open)
	if err != nil {
		return nil, err
	}
	_, err = fillAll(ctx, searcher.Elsewhere, slices.DeleteFunc(left, func(c *Commit) bool { return c.Unknown == 0 }))
	return out, err
}

// fillAll searches commits, fills the commits with findings, and returns the others.
func fillAll(ctx context.Context, ask func(context.Context, []refs.OID) (map[refs.OID]events.CommitData, error),
	list []*Commit) (left []*Commit, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]refs.OID, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	found, err := ask(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if data, ok := found[c.ID]; ok {
			c.Fill(&data)
		} else {
			left = append(left, c)
		}
	}
	return left, nil
}

// Speaks reports whether the commit has any data.
func (c *Commit) Speaks() bool { return c.Anchored || len(c.Files) > 0 }

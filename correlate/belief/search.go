package belief

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Searcher finds owners that no anchor names. A *unseen.Search satisfies it.
type Searcher interface {
	// Commits returns the findings about commits that no hook reported.
	Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
	// Carried returns the claims about commits that the given ones replaced.
	Carried(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
	// Elsewhere returns findings in other logs for commits whose anchor does not know all lines.
	Elsewhere(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
}

// All decides the owners of commits, and searches for the unknown ones; the searcher may be nil. It searches all
// commits together, so that git is called once.
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

// fillAll searches commits, adds the findings to them, and returns the commits without findings.
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

// Speaks reports whether the commit has an anchor or findings.
func (c *Commit) Speaks() bool { return c.Anchored || len(c.Files) > 0 }

package belief

import (
	"context"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Searcher finds what is not recorded of commits, as far as it can be found. A *unseen.Search does.
type Searcher interface {
	// Commits is about commits without an anchor.
	Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
	// Elsewhere is about commits whose anchor does not know all lines.
	Elsewhere(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error)
}

// All weighs what is recorded of commits, and fills what nobody knows with what can be found; nil for a searcher finds
// nothing. The commits are searched together, since git is asked about all of them at once.
func All(ctx context.Context, log Log, searcher Searcher, commits []refs.OID) ([]*Commit, error) {
	out := make([]*Commit, len(commits))
	var bare, open []refs.OID
	for i, id := range commits {
		c, err := Of(log, id)
		if err != nil {
			return nil, err
		}
		switch out[i] = c; {
		case !c.Anchored:
			bare = append(bare, id)
		case c.Unknown > 0:
			open = append(open, id)
		}
	}
	if searcher == nil {
		return out, nil
	}
	found := map[refs.OID]events.CommitData{}
	var err error
	if len(bare) > 0 {
		if found, err = searcher.Commits(ctx, bare); err != nil {
			return nil, err
		}
	}
	more, err := searcher.Elsewhere(ctx, open)
	if err != nil {
		return nil, err
	}
	for _, c := range out {
		data, ok := found[c.ID]
		if c.Anchored {
			data, ok = more[c.ID]
		}
		if ok {
			c.Fill(&data)
		}
	}
	return out, nil
}

// Speaks tells whether anything is known of the commit.
func (c *Commit) Speaks() bool { return c.Anchored || len(c.Files) > 0 }

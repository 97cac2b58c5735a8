package main

import (
	"context"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// recorded finds the repository, and opens its conversations. The caller closes them.
func (a *app) recorded(ctx context.Context) (*refs.Repo, *lookup.Conversations, error) {
	return a.recordedIn(ctx, a.repo)
}

// recordedIn opens the repository that find returns, and its conversations, as recorded does.
func (a *app) recordedIn(ctx context.Context, find func() (*refs.Repo, error)) (*refs.Repo, *lookup.Conversations,
	error) {
	repo, err := find()
	if err != nil {
		return nil, nil, err
	}
	known, err := a.openConversations(ctx, repo)
	return repo, known, err
}

func (a *app) openConversations(ctx context.Context, repo *refs.Repo) (*lookup.Conversations, error) {
	reader, err := a.open(ctx, repo, view.Options{})
	return &lookup.Conversations{Reader: reader}, err
}

// findAll finds conversations by their ids, in the log or among the records.
func (a *app) findAll(ctx context.Context, repo *refs.Repo, ids []string) ([]events.TraceID, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer known.Close()
	out := make([]events.TraceID, len(ids))
	for i, id := range ids {
		if out[i], err = known.FindTrace(id); err != nil {
			return nil, lookup.ReportAmbiguous(a.std.err, err)
		}
	}
	return out, nil
}

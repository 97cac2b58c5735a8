package main

import (
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// modelEvidence is what blame answers from.
func modelEvidence(repo *refs.Repo) (*blame.Evidence, *index.Index, func(), error) {
	reader, err := index.Open(repo)
	if err != nil {
		return nil, nil, nil, err
	}
	searcher := unseen.New(repo, reader)
	return blame.NewEvidence(repo, reader, searcher), reader, func() { searcher.Close(); reader.Close() }, nil
}

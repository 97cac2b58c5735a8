package main

import (
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// modelEvidence is what blame answers from.
func modelEvidence(repo *refs.Repo) (*blame.Evidence, func(), error) {
	reader, err := index.Open(repo)
	if err != nil {
		return nil, nil, err
	}
	return blame.NewEvidence(repo, reader), reader.Close, nil
}

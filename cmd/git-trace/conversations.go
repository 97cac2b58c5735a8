package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// conversations are the log, open, with the reader that unites it with the records.
type conversations struct {
	*view.Reader
	log     *index.Index
	prompts *view.Prompts
}

func (a *app) openConversations(c *cli.Context, repo *refs.Repo) (*conversations, error) {
	log, err := a.openIndex(repo)
	if err != nil {
		return nil, err
	}
	out := &conversations{log: log, prompts: newPrompts(repo)}
	out.Reader = view.NewReader(repo, log, func() ([]search.Digest, error) { return a.recordDigests(c, repo) }, out.prompts)
	return out, nil
}

func (s *conversations) close() {
	s.prompts.Close()
	s.log.Close()
}

// newPrompts gives texts of prompts, redacted as the user's configuration asks for it.
func newPrompts(repo *refs.Repo) *view.Prompts {
	return view.NewPrompts(repo, func() (*redact.Redactor, error) { return newRedactor(context.Background(), repo) })
}

// recordDigests sums up the conversations that have a record. Without any, nothing is opened.
func (a *app) recordDigests(c *cli.Context, repo *refs.Repo) ([]search.Digest, error) {
	records := store.Open(repo)
	defer func() { _ = records.Close() }()
	tips, err := records.Tips(c.Context)
	if err != nil || len(tips) == 0 {
		return nil, err
	}
	ix, err := a.openSearch(c, repo, records)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	list, err := ix.Digests()
	if err != nil {
		return nil, fail(exitUnchecked, err, "git trace rebuild makes the caches anew")
	}
	return list, nil
}

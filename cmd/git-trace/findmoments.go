package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/view/lookup"
)

// findMoments replaces prompts, steps and calls in the options with the trees of their snapshots.
func (a *app) findMoments(repo *refs.Repo, known *lookup.Conversations, dir string, opts *diff.Options) error {
	r := lookup.Resolver{Repo: repo, Known: known}
	work, err := opts.FindMoments(func(word string, after bool) (s diff.Snapshot, found bool, err error) {
		if _, err := os.Lstat(filepath.Join(dir, word)); err == nil {
			return s, false, nil
		}
		p, found, err := r.PlaceNamed(a.life, word)
		if err != nil || !found {
			return s, false, err
		}
		m, err := r.Moment(a.life, word, p, after)
		name := word
		if after {
			name += " (its end)"
		}
		s = diff.Snapshot{Tree: m.Tree, Side: diff.Side{Kind: diff.Moment, Rev: name}}
		if !m.Head.IsZero() {
			s.Side.Head = m.Head.String()
		}
		return s, true, err
	})
	if errors.Is(err, diff.ErrMergeBase) {
		return exit.Usage("%w; name the two with a blank or .. between them", err)
	}
	if err != nil || !work {
		return err
	}
	if repo.Bare() {
		return refs.ErrBare
	}
	taken, err := takeSnapshot(a.life, repo)
	if err == nil {
		opts.CompareWith(taken.Tree)
	}
	return err
}

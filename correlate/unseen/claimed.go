package unseen

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// When a commit is rewritten, a hook gives the new commit the owners in the timeline. The timeline does not have the
// claims of a backfill or an import about the older commit. So the new anchor does not know those lines. For example: a
// branch was made before git-trace came, `git trace backfill` found the conversations that wrote it, and it is rebased.

// mostReplaced bounds how many older commits are looked at for one commit, near and far.
const mostReplaced = index.MostReplaced

// claimed lists the commits that a commit replaced, the nearest first. Only commits with later claims count.
func (s *Search) claimed(commit refs.OID) ([]refs.OID, error) {
	if out, done := s.claims[commit]; done {
		return out, nil
	}
	var out []refs.OID
	seen := []refs.OID{commit}
	for i := 0; i < len(seen) && i < mostReplaced; i++ {
		older, err := s.index.Replaced(seen[i])
		if err != nil {
			return nil, err
		}
		for _, o := range older {
			if slices.Contains(seen, o) || len(seen) > mostReplaced {
				continue
			}
			seen = append(seen, o)
			named, err := s.index.ByCommit(o)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(named, func(e events.Event) bool { return e.Type == events.CommitAnchored && e.Claimed() }) {
				out = append(out, o)
			}
		}
	}
	s.claims[commit] = out
	return out, nil
}

// isClaim reports whether lines come from a backfill or an import. They have no patch.
func isClaim(r *belief.Run) bool { return r.By != nil && r.By.Claimed() && r.Owner.Patch == "" }

// fromClaims finds the owners of lines that a commit added to a file. It reads the later claims about the commits whose
// place this one took.
func (s *Search) fromClaims(commit refs.OID, c correlate.FileChange) (Answer, error) {
	older, err := s.claimed(commit)
	if err != nil || len(older) == 0 {
		return Answer{}, err
	}
	f, err := s.open(commit, c)
	if f == nil || err != nil {
		return Answer{}, err
	}
	for _, o := range slices.Backward(older) { // the nearest has the last word
		if err := f.carriedFrom(o, isClaim); err != nil {
			return Answer{}, err
		}
	}
	if len(f.owners) == 0 {
		return Answer{}, nil
	}
	return f.answer(), nil
}

// askClaims answers questions about lines that the anchor of their commit does not know.
func (s *Search) askClaims(ctx context.Context, questions []Question, answers []Answer) error {
	var commits []refs.OID
	for _, q := range questions {
		if q.Elsewhere && !slices.Contains(commits, q.Commit) {
			commits = append(commits, q.Commit)
		}
	}
	changed, err := s.changedUnder(ctx, commits)
	if err != nil {
		return err
	}
	for i, q := range questions {
		for _, c := range changed[q.Commit] {
			if !q.Elsewhere || c.Path != q.Path {
				continue
			}
			if answers[i], err = s.fromClaims(q.Commit, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// Carried does the same of whole commits.
func (s *Search) Carried(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	changed, err := s.changedUnder(ctx, commits)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	out := map[refs.OID]events.CommitData{}
	for commit, files := range changed {
		d := gathered{CommitData: events.CommitData{Commit: commit}}
		for _, c := range files {
			answer, err := s.fromClaims(commit, c)
			if err != nil {
				return nil, fmt.Errorf("search for the owners of %.7s: %w", commit, err)
			}
			d.add(answer)
		}
		if d.AI+d.Human > 0 {
			out[commit] = d.CommitData
		}
	}
	return out, nil
}

// changedUnder lists the files that commits changed, of those alone that took the place of one with claims.
func (s *Search) changedUnder(ctx context.Context, commits []refs.OID) (map[refs.OID][]correlate.FileChange, error) {
	var carrying []refs.OID
	for _, c := range commits {
		older, err := s.claimed(c)
		if err != nil {
			return nil, err
		}
		if len(older) > 0 {
			carrying = append(carrying, c)
		}
	}
	return correlate.Changed(ctx, s.repo, carrying)
}

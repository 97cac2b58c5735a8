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
// claims of a backfill or an import about the older commit. So the new anchor lacks the owners that these claims name.
// For example: a branch was made before git-trace was installed, `git trace backfill` found the conversations that
// wrote it, and later the branch is rebased.

// mostReplaced limits how many older commits are read for one commit, direct and indirect.
const mostReplaced = index.MostReplaced

// `claimed` lists the commits with claims that a commit replaced, the nearest first.
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

// isClaim reports whether lines come from a backfill or an import. Such lines have no patch.
func isClaim(r *belief.Run) bool { return r.By != nil && r.By.Claimed() && r.Owner.Patch == "" }

// fromClaims finds the owners of lines that a commit added to a file. It reads the claims about the commits that this
// one replaced.
func (s *Search) fromClaims(commit refs.OID, c correlate.FileChange) (Answer, error) {
	older, err := s.claimed(commit)
	if err != nil || len(older) == 0 {
		return Answer{}, err
	}
	f, err := s.open(commit, c)
	if f == nil || err != nil {
		return Answer{}, err
	}
	for _, o := range slices.Backward(older) { // the nearest claim wins, so it is applied last
		if err := f.carriedFrom(o, isClaim); err != nil {
			return Answer{}, err
		}
	}
	if len(f.owners) == 0 {
		return Answer{}, nil
	}
	return f.answer(), nil
}

// askClaims answers questions about lines that the anchor of their commit does not know, from claims.
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

// Carried searches whole commits in the same way as askClaims.
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

// changedUnder lists the files that commits changed. It leaves out commits that replaced no commit with claims.
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

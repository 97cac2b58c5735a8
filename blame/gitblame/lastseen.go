package gitblame

import (
	"context"

	"github.com/git-trace/git-trace/refs"
)

// LastSeen finds, for each line of a path in a commit, the last commit, up to the commit `until`, that still has the
// line (git-blame(1), --reverse). The result is indexed by line, from 0. A zero id means that the commit is unknown.
func LastSeen(ctx context.Context, repo *refs.Repo, commit, until refs.OID, path string) ([]refs.OID, error) {
	s := &Session{ctx: ctx, repo: repo, dir: repo.Top()}
	var out []refs.OID
	args := []string{"blame", "--porcelain", "--reverse", commit.String() + ".." + until.String(), "--", path}
	_, _, err := s.run(args, Porcelain, func(e *Entry) error {
		for len(out) < e.FinalLine {
			out = append(out, refs.OID{})
		}
		out[e.FinalLine-1] = e.Commit.ID
		return nil
	})
	return out, err
}

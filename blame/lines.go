package blame

import (
	"context"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
)

// Lines blames a path as a revision has it, or, without a revision, as the work tree has it, and finds the owners. Path
// is relative to the top of the work tree, as raw bytes. A refusal of git's is a *gitblame.Failure, as of Run.
func Lines(ctx context.Context, repo *refs.Repo, rev, path string, resolver Resolver) ([]Annotated, error) {
	args := []string{"--", path}
	if rev != "" {
		args = append([]string{rev}, args...)
	}
	opts, err := gitblame.Parse(args)
	if err != nil {
		return nil, err
	}
	var out []Annotated
	err = run(ctx, repo, repo.Top(), opts, resolver, func(s *session) error {
		lines, owners, _, err := s.lines()
		out = annotate(lines, owners)
		return err
	})
	return out, err
}

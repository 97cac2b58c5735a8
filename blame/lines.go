package blame

import (
	"context"

	"github.com/git-trace/git-trace/refs"
)

// Lines blames a path as a revision has it, or, without a revision, as the work tree has it, and finds the owners. Path
// is relative to the top of the work tree, as raw bytes. A refusal of git's is a *Failure, as of Run.
func Lines(ctx context.Context, repo *refs.Repo, rev, path string, resolver Resolver) ([]Annotated, error) {
	args := []string{"--", path}
	if rev != "" {
		args = append([]string{rev}, args...)
	}
	opts, err := Parse(args)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	s, err := newSession(ctx, repo, top(repo), opts, resolver)
	defer s.background.Wait() // no process outlives the call
	defer stop()
	if err != nil {
		return nil, err
	}
	s.settings = later(s, s.readSettings)
	s.converted = later(s, s.hasTextconv)
	var out []Annotated
	err = s.named(func() error {
		lines, owners, _, err := s.lines()
		out = annotate(lines, owners)
		return err
	})
	return out, err
}

// top is the directory to which paths in the repository are relative.
func top(repo *refs.Repo) string {
	if repo.Bare() {
		return repo.GitDir
	}
	return repo.WorkTree
}

// LastSeen tells, for each line that a path has in a commit, the last commit on the way to a later one in which git
// still finds the line (git-blame(1), --reverse). The result is by line, from 0; a zero id stands for a line that is
// not told.
func LastSeen(ctx context.Context, repo *refs.Repo, commit, until refs.OID, path string) ([]refs.OID, error) {
	s := &session{ctx: ctx, repo: repo, dir: top(repo)}
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

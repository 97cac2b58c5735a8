package blame

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/git-trace/git-trace/refs"
)

// Refresh brings the answers for paths up to HEAD, so that the next blame finds one to start from or needs no more than
// that. Only paths that were blamed before are looked at, each with one bounded blame at most. Paths are relative to the
// top of the work tree. It takes as long as git takes: a hook should not wait for it.
func Refresh(ctx context.Context, repo *refs.Repo, paths []string) error {
	var failed []error
	for _, path := range paths {
		if _, err := os.Stat(keptFile(repo, path)); err != nil {
			continue
		}
		if err := refresh(ctx, repo, path); err != nil {
			failed = append(failed, fmt.Errorf("refresh blame of %q: %w", path, err))
		}
	}
	return errors.Join(failed...)
}

func refresh(ctx context.Context, repo *refs.Repo, path string) error {
	opts, err := Parse([]string{"--porcelain", "HEAD", "--", path})
	if err != nil {
		return err
	}
	s, err := newSession(ctx, repo, repo.WorkTree, opts, nil)
	defer s.background.Wait()
	if err != nil {
		return err
	}
	s.settings = later(s, s.readSettings)
	q, ok := s.inquiry(opts.Format)
	if !ok {
		return ctx.Err()
	}
	k := load(repo, q.path, q.context)
	a := k.find(q.commit, q.answeredBy)
	if a == nil {
		a = q.untouched(k)
	}
	if a != nil {
		k.also(a, q.commit)
		k.save(repo)
		return nil
	}
	q.bounded(k)
	return ctx.Err()
}

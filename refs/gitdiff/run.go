package gitdiff

import (
	"context"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// Run starts git and reads its output as it comes ([refs.Repo.GitRead]).
func Run(ctx context.Context, repo *refs.Repo, stdin io.Reader, args []string, read func(*Reader) error) error {
	return repo.GitRead(ctx, stdin, func(out io.Reader) error { return read(NewReader(out)) }, args...)
}

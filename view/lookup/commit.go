package lookup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
)

// Commit returns the commit that a revision names.
func Commit(ctx context.Context, repo *refs.Repo, rev string) (refs.OID, error) {
	out, err := repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if head, _, e := repo.Head(); e == nil && head.IsZero() && (rev == "HEAD" || rev == "@") {
			return refs.OID{}, exit.Fail(exit.Git, ErrNoCommits, "")
		}
		return refs.OID{}, exit.Fail(exit.Git, fmt.Errorf("bad revision '%s'", rev), "git log --all --oneline lists commits")
	}
	return refs.ParseOID(strings.TrimSpace(string(out)))
}

var ErrNoCommits = errors.New("there are no commits yet")

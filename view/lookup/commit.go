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

// Commits lists the commits of a range. Options of git-rev-list(1) choose and sort them.
func Commits(ctx context.Context, repo *refs.Repo, revs []string, all bool, options ...string) ([]refs.OID, error) {
	args := append([]string{"rev-list"}, options...)
	switch {
	case all:
		args = append(args, refs.Everywhere()...)
	case len(revs) == 0:
		args = append(args, "HEAD")
	}
	for _, rev := range revs {
		if strings.HasPrefix(rev, "-") {
			return nil, exit.Usage("'%s' is not a revision", rev)
		}
		args = append(args, rev)
	}
	raw, err := repo.Git(ctx, nil, append(args, "--")...)
	if err != nil {
		return nil, exit.Fail(exit.Git, err, "")
	}
	var out []refs.OID
	for line := range strings.Lines(string(raw)) {
		oid, err := refs.ParseOID(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		out = append(out, oid)
	}
	return out, nil
}

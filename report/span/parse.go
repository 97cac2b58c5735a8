package span

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/lookup"
)

// OtherRange proposes a range that ends at a commit and is not empty: the commits that the main branch lacks, or else
// the last ten.
func OtherRange(ctx context.Context, repo *refs.Repo, to refs.OID) string {
	const hint = "name a range, such as "
	for _, main := range []string{"main", "master"} {
		ahead, err := repo.Git(ctx, nil, "rev-list", "--max-count=1", to.String(), "^refs/heads/"+main)
		if err != nil || len(ahead) == 0 {
			continue
		}
		if _, err := repo.Git(ctx, nil, "merge-base", "refs/heads/"+main, to.String()); err == nil {
			return hint + main + "...HEAD"
		}
		return hint + main + "..HEAD"
	}
	before, err := repo.Git(ctx, nil, "rev-list", "--first-parent", "--max-count=11", to.String())
	if n := strings.Count(string(before), "\n") - 1; err == nil && n > 0 {
		return fmt.Sprintf("%sHEAD~%d..HEAD", hint, n)
	}
	return "name a range: <commit>..<commit>"
}

// Parse reads a range as git does. If only a branch is given, its range starts at its upstream, or at the main branch
// of origin.
func Parse(ctx context.Context, repo *refs.Repo, given string) (s Range, err error) {
	from, to, two := strings.Cut(given, "..")
	if rev, one := strings.CutSuffix(given, "^!"); one && !two {
		from, to, two = rev+"^", rev, true
		if _, err := lookup.Commit(ctx, repo, from); err != nil {
			if _, err := lookup.Commit(ctx, repo, rev); err != nil {
				return s, err
			}
			return s, exit.Fail(exit.Git, fmt.Errorf("'%s' has no parent to compare with", rev),
				cutOr(ctx, repo, ""))
		}
	} else if two {
		to, s.Fork = strings.CutPrefix(to, ".")
	}
	orHead := func(rev string) string {
		if rev == "" {
			return "HEAD"
		}
		return rev
	}
	to = orHead(to)
	if !two {
		to, s.Fork = orHead(given), true
	}
	if s.To, err = lookup.Commit(ctx, repo, to); err != nil {
		return s, err
	}
	if !two {
		if from = Upstream(ctx, repo, to); from == "" {
			return s, exit.Fail(exit.Git, fmt.Errorf("'%s' has no upstream to compare with", to), OtherRange(ctx, repo, s.To))
		}
	}
	if s.From, err = lookup.Commit(ctx, repo, orHead(from)); err != nil {
		return s, err
	}
	dots := ".."
	if s.Fork {
		dots = "..."
	}
	s.Given, s.Text = given, orHead(from)+dots+to
	if !s.Fork {
		return s, nil
	}
	if _, err := repo.Git(ctx, nil, "merge-base", s.From.String(), s.To.String()); err != nil {
		return s, exit.Fail(exit.Git, fmt.Errorf("%s: no merge base", s.Text),
			cutOr(ctx, repo, "the histories have no common commit; two dots compare them anyway"))
	}
	return s, nil
}

// cutOr returns the hint for a missing commit. In a shallow clone, the history may end before that commit. In any other
// clone, it returns the other hint.
func cutOr(ctx context.Context, repo *refs.Repo, otherwise string) string {
	if out, err := repo.Git(ctx, nil, "rev-parse", "--is-shallow-repository"); err == nil && string(out) == "true\n" {
		return "this clone has only a part of the history: git fetch --unshallow"
	}
	return otherwise
}

// Upstream returns the branch from which a branch's range starts; empty if unknown.
func Upstream(ctx context.Context, repo *refs.Repo, branch string) string {
	for _, name := range []string{branch + "@{upstream}", "refs/remotes/origin/HEAD"} {
		out, err := repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", "--abbrev-ref", "--end-of-options", name)
		if text := strings.TrimSpace(string(out)); err == nil && text != "" {
			return text
		}
	}
	return ""
}

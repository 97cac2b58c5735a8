package resume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/route"
)

// Errors for a directory that cannot become a work tree.
var (
	ErrThere  = errors.New("the directory exists already")
	ErrInside = errors.New("it is in a work tree of the repository, which would change")
)

// Dir returns the directory for a new work tree: the named one, or one beside the main work tree, named after the
// point.
func (p *Point) Dir(repo *refs.Repo, named string) (string, error) {
	dir := named
	if dir == "" {
		top := repo.WorkTrees()[0]
		place := "end"
		switch {
		case p.Prompt > 0:
			place = fmt.Sprintf("prompt-%d", p.Prompt)
		case p.Step > 0:
			place = fmt.Sprintf("step-%d", p.Step)
		}
		dir = fmt.Sprintf("%s-%.8s-%s", top, p.Conversation.Trace, place)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return dir, ErrThere
	}
	for _, top := range repo.WorkTrees() {
		other := *repo
		other.WorkTree = top
		if _, inside := route.Relative(&other, dir); inside {
			return dir, ErrInside
		}
	}
	return dir, nil
}

// Add makes a linked work tree at the point's commit, with a detached HEAD. Remove deletes it again.
func (p *Point) Add(ctx context.Context, repo *refs.Repo, dir string) (*refs.Repo, error) {
	commit := "HEAD"
	if !p.Files.Head.IsZero() {
		commit = p.Files.Head.String()
	}
	if _, err := repo.Git(ctx, nil, "worktree", "add", "--quiet", "--detach", "--", dir, commit); err != nil {
		return nil, err
	}
	linked, err := refs.Discover(dir)
	if err != nil {
		Remove(ctx, repo, dir)
	}
	return linked, err
}

// Remove removes a work tree whose preparation failed.
func Remove(ctx context.Context, repo *refs.Repo, dir string) {
	_, _ = repo.Git(context.WithoutCancel(ctx), nil, "worktree", "remove", "--force", "--", dir)
}

// Head returns the commit that a work tree has checked out.
func Head(ctx context.Context, repo *refs.Repo) (refs.OID, error) {
	out, err := repo.Git(ctx, nil, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return refs.OID{}, err
	}
	return refs.ParseOID(strings.TrimSpace(string(out)))
}

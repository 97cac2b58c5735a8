package diff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Kind is the kind of a side's content.
type Kind string

// The kinds.
const (
	Commit Kind = "commit"
	Index  Kind = "index"
	Work   Kind = "worktree"
	Moment Kind = "moment" // a snapshot
	Tree   Kind = "tree"   // a tree that is not a commit's, by its full id
)

// Side is one side of a diff.
type Side struct {
	Kind Kind
	Rev  string // revision of a commit; for a moment, the name that the user typed
	Head string // the commit that was checked out, for a moment
}

const head = "HEAD"

// sides holds the two contents that a diff compares, before -R swaps them.
type sides struct {
	old, new Side
	fork     bool // the old side is the merge base, as in A...B
	part     bool // only some paths are compared
	paths    []string
	given    [2]Kind // git's arguments; a moment has the id of its tree
}

// sides reads the words as git-diff(1) does. It runs after git has accepted them, so each word is a revision or a path.
func (o *Options) sides(ctx context.Context, repo *refs.Repo, dir string) (sides, error) {
	revs := o.words
	if !o.dashes {
		revs = slices.Clone(revs)
		if at := slices.IndexFunc(revs, func(word string) bool { return isPath(dir, word) }); at >= 0 {
			revs = revs[:at]
		}
	}
	s, err := o.compared(ctx, repo, dir, revs)
	s.part = len(o.after)+len(o.words) > len(revs)
	s.paths = slices.Concat(o.words[len(revs):], o.after)
	s.given = [2]Kind{s.old.Kind, s.new.Kind}
	for _, side := range []*Side{&s.old, &s.new} {
		if moment, known := o.moments[side.Rev]; known {
			*side = moment
		}
	}
	return s, err
}

// `compared` returns the sides for revisions.
func (o *Options) compared(ctx context.Context, repo *refs.Repo, dir string, revs []string) (sides, error) {
	if len(revs) == 1 && !strings.ContainsAny(revs[0], "^:") {
		if a, b, three := strings.Cut(revs[0], "..."); three {
			return sides{old: Side{Kind: Commit, Rev: orHead(a)}, new: Side{Kind: Commit, Rev: orHead(b)}, fork: true}, nil
		}
		if a, b, two := strings.Cut(revs[0], ".."); two {
			return sides{old: Side{Kind: Commit, Rev: orHead(a)}, new: Side{Kind: Commit, Rev: orHead(b)}}, nil
		}
	}
	for _, rev := range revs {
		if strings.ContainsAny(rev, "^:") || strings.Contains(rev, "..") {
			var err error
			if revs, err = asked(ctx, repo, dir, revs); err != nil {
				return sides{}, err
			}
			break
		}
	}
	switch {
	case len(revs) == 2 && !o.cached:
		return sides{old: Side{Kind: Commit, Rev: revs[0]}, new: Side{Kind: Commit, Rev: revs[1]}, fork: o.mergeBase}, nil
	case len(revs) == 1 && o.cached:
		return sides{old: Side{Kind: Commit, Rev: revs[0]}, new: Side{Kind: Index}, fork: o.mergeBase}, nil
	case len(revs) == 1:
		return sides{old: Side{Kind: Commit, Rev: revs[0]}, new: Side{Kind: Work}, fork: o.mergeBase}, nil
	case len(revs) == 0 && o.cached:
		return sides{old: Side{Kind: Commit, Rev: head}, new: Side{Kind: Index}}, nil
	case len(revs) == 0:
		return sides{old: Side{Kind: Index}, new: Side{Kind: Work}}, nil
	}
	return sides{}, fmt.Errorf("%w: more than two versions", ErrGit)
}

func orHead(rev string) string {
	if rev == "" {
		return head
	}
	return rev
}

// isPath reports whether git reads a word as a path. Git has accepted the word, so it is a revision or a path.
func isPath(dir, word string) bool {
	if strings.ContainsAny(word, "*?[") || strings.HasPrefix(word, ":(") || strings.HasPrefix(word, ":!") {
		return true
	}
	name := word
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, filepath.FromSlash(word))
	}
	_, err := os.Lstat(name)
	return err == nil
}

// `asked` resolves revisions in other forms, such as C^!, by git. The older one comes first.
func asked(ctx context.Context, repo *refs.Repo, dir string, revs []string) ([]string, error) {
	args := append([]string{"rev-parse", "--revs-only", "--no-flags"}, revs...)
	out, err := repo.CommandUser(ctx, dir, append(args, "--")...).Output()
	if err != nil {
		return nil, fmt.Errorf("%w: revisions: %w", ErrGit, err)
	}
	var plain, negative []string
	for id := range strings.FieldsSeq(string(out)) {
		if excluded, found := strings.CutPrefix(id, "^"); found {
			negative = append(negative, excluded)
		} else {
			plain = append(plain, id)
		}
	}
	if len(negative) > 0 && (len(plain) != 1 || len(negative) != 1) {
		return nil, fmt.Errorf("%w: more than two versions", ErrGit)
	}
	return append(negative, plain...), nil
}

// ErrGit means that a diff gets no owners. The caller shows git's own output.
var ErrGit = errors.New("no owners for this diff")

// nameTrees finds the sides that are trees, named by full ids. The method asked has replaced a name like HEAD:dir by an
// id.
func (f *finder) nameTrees() {
	for _, side := range []*Side{&f.sides.old, &f.sides.new} {
		id, err := refs.ParseOID(side.Rev)
		if side.Kind != Commit || err != nil {
			continue
		}
		if typ, _, err := f.objects.Read(id); f.empty(side.Rev) || err == nil && typ == refs.TreeObject {
			side.Kind = Tree
		}
	}
}

// `empty` reports whether rev is the empty tree, with which git-show(1) compares a root commit.
func (f *finder) empty(rev string) bool { return rev == f.repo.Format.EmptyTree().String() }

// `forked` returns the merge base of two sides.
func forked(ctx context.Context, repo *refs.Repo, dir string, s sides) (string, error) {
	other := s.new.Rev
	if s.new.Kind != Commit {
		other = head
	}
	out, err := repo.CommandUser(ctx, dir, "merge-base", s.old.Rev, other).Output()
	if err != nil {
		return "", fmt.Errorf("git merge-base: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

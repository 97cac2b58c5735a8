package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// A pick that is not committed at once (git-cherry-pick(1), --no-commit), and that nobody looks at in between, leaves
// no trace but the commit itself: its files are those of a commit of another branch. Such a commit counts as what git
// brought if it has all that the other one changed, as it has it, and no more; what is like a part of it may have been
// typed.

// maxRedone is how many commits that have one of the contents are compared in full.
const maxRedone = 4

// redoes tells whether the commit that is being anchored is a commit of another branch over again.
func (s *step) redoes() bool {
	if s.commit.IsZero() || s.base.IsZero() || len(s.paths) == 0 {
		return false
	}
	if s.redone == nil {
		found := s.findRedone()
		s.redone = &found
	}
	return *s.redone
}

func (s *step) findRedone() bool {
	same := func(x refs.OID, path string) bool {
		here, err := s.facts.Blob(s.commit, path)
		there, errThere := s.facts.Blob(x, path)
		return err == nil && errThere == nil && here == there
	}
	tries := 0
	for _, x := range s.git.Foreign(s.commit) {
		if slices.ContainsFunc(s.paths, func(path string) bool { return !same(x, path) }) {
			continue
		}
		commit, err := s.facts.Commit(x)
		if err != nil || len(commit.Parents) != 1 {
			continue
		}
		if _, err := s.repo.Git(s.ctx, nil, "merge-base", "--is-ancestor", x.String(), s.commit.String()); err == nil {
			continue // who takes a commit again that is there, has taken it back before
		}
		if s.wholeOf(x, commit.Parents[0]) {
			return true
		}
		if tries++; tries == maxRedone {
			break
		}
	}
	return false
}

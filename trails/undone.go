package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A revert that is not committed at once (git-revert(1), --no-commit) and that nobody looks at in between leaves no
// trace but the commit itself: it is an earlier commit backwards. So such a commit counts as what git brought back. One
// that takes back less than a whole commit does not: anybody may type a line anew.

// maxUndone is how many commits are looked at for the one that is taken back.
const maxUndone = 16

// undoes tells whether the commit that is being anchored is one of the last commits backwards.
func (s *step) undoes() bool {
	if s.commit.IsZero() || s.base.IsZero() {
		return false
	}
	if s.undone == nil {
		found := s.findUndone()
		s.undone = &found
	}
	return *s.undone
}

func (s *step) findUndone() bool {
	x := s.base
	for range maxUndone {
		commit, err := s.facts.Commit(x)
		if err != nil || len(commit.Parents) == 0 {
			return false
		}
		before := commit.Parents[0]
		if s.backwards(x, before) && s.wholeOf(x, before) {
			return true
		}
		x = before
	}
	return false
}

// backwards tells whether the paths of the commit are now as they were before an earlier one, and were until now as
// that one had left them.
func (s *step) backwards(x, before refs.OID) bool {
	same := func(a, b refs.OID, path string) bool {
		left, leftErr := s.facts.Blob(a, path)
		right, rightErr := s.facts.Blob(b, path)
		return leftErr == nil && rightErr == nil && left == right
	}
	return len(s.paths) > 0 && !slices.ContainsFunc(s.paths, func(path string) bool {
		return !same(s.base, x, path) || !same(s.commit, before, path)
	})
}

// wholeOf tells whether an earlier commit changed no other paths than this one does.
func (s *step) wholeOf(x, before refs.OID) bool {
	changed, err := s.facts.Changed(before, x)
	return err == nil && !slices.ContainsFunc(changed, func(c snapshot.Change) bool {
		return !slices.Contains(s.paths,
			c.Path)
	})
}

package trails

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// resumed finds what a content was made of that somebody committed to go on with a rebase (git-rebase(1), --continue): what git
// had put there before, and what the commit has that was picked. A later pick may have left all as it was, so the commit that the
// work tree was last seen with is no better source than those.
func (s *step) resumed(f *file) (base text, picked []Source, err error) {
	w := s.gitAt(f.path)
	if !s.leftBehind(f) {
		return text{}, nil, nil
	}
	steps, _ := stepsSince(s.repo, w.before)
	for _, made := range slices.Backward(steps) {
		if !strings.HasSuffix(made.verb, " (continue)") {
			continue
		}
		commit, err := s.objects.Commit(made.new)
		if err != nil || len(commit.Parents) != 1 {
			continue // one that is gone says nothing
		}
		before, err := s.inCommit(commit.Parents[0], f.path)
		if err != nil {
			return text{}, nil, err
		}
		now, err := s.inCommit(made.new, f.path)
		if err != nil {
			return text{}, nil, err
		}
		if now != f.new.oid || before == now || before.IsZero() {
			continue
		}
		if base, err = s.read(0, before); err != nil || base.whole {
			return text{}, nil, err
		}
		for _, x := range s.namesakes(w, commit.Message, sameAuthor(commit.Author)) {
			blob, err := s.inCommit(x, f.path)
			if err != nil {
				return text{}, nil, err
			}
			if blob != now && !blob.IsZero() {
				picked = append(picked, Source{Path: f.path, Blob: blob, Far: true})
			}
		}
		return base, picked, nil
	}
	return text{}, nil, nil
}

// sameAuthor tells of an author whether he is that of a commit: git keeps him, and his date, for a commit that it makes anew.
func sameAuthor(of refs.Signature) func(refs.Signature) bool {
	return func(author refs.Signature) bool {
		return author.Name == of.Name && author.Email == of.Email && author.When.Equal(of.When)
	}
}

package trails

import (
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/origin"
)

// git-commit(1) --amend makes its commit of the index, and the index had what the amended commit has. The new commit's
// parent does not tell of that, where the amended one brought the file.

// fromAmended is what the amended commit has of a path, if the commit that is being anchored took the place of one. A
// content that nobody saw tells only that its lines are older than the last look at everything, so that commit has to
// be older, too.
func (s *step) fromAmended(path string) ([]origin.Candidate, error) {
	amended := gitfacts.AmendedBy(s.repo, s.commit)
	if amended.IsZero() {
		return nil, nil
	}
	for _, name := range append([]string{path}, s.known.Names(path)...) {
		blob, err := s.facts.Blob(amended, name)
		if err != nil {
			return nil, err
		}
		if blob.IsZero() {
			continue
		}
		if _, known := s.known.Get(name, blob); known || !s.madeSince(amended) {
			return []origin.Candidate{{Path: name, Blob: blob}}, nil
		}
		return nil, nil
	}
	return nil, nil
}

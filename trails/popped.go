package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// popped is the content that a stash which is gone from the list had of a file, if git put that there before the file was
// changed: to what is as it was when the stash was made, git gives the stash's content (git-stash(1), pop). A stash
// may also have been dropped, so what there is now must be closer to its content than to what was there before.
func (s *step) popped(f *file) (content text, found bool, err error) {
	w := s.gitAt(f.path)
	if w.before.Index == w.now.Index { // dropped, or brought back in another work tree
		return text{}, false, nil
	}
	for _, stash := range w.before.Stashes {
		if slices.Contains(w.now.Stashes, stash) {
			continue
		}
		blob, err := s.replacedBy(stash, f.path, f.old.oid)
		if err != nil {
			return text{}, false, err
		}
		if _, known := s.known.Get(f.path, blob); !known {
			continue
		}
		back, err := s.read(0, blob)
		if err != nil {
			return text{}, false, err
		}
		if !back.whole && !nearer(f.new.lines, f.old.lines, back.lines) {
			return back, true, nil
		}
	}
	return text{}, false, nil
}

// replacedBy is what a stash has in the place of a content of a path: no id if it has that same content, or was made of
// another one.
func (s *step) replacedBy(stash refs.OID, path string, was refs.OID) (refs.OID, error) {
	commit, err := s.objects.Commit(stash)
	if err != nil || len(commit.Parents) < 2 {
		return refs.OID{}, nil //nolint:nilerr // no stash, or one that is gone: nothing is learnt from it
	}
	base, err := s.inCommit(commit.Parents[0], path)
	if err != nil || base != was {
		return refs.OID{}, err
	}
	blob, err := s.inCommit(stash, path)
	if err != nil || blob == was {
		return refs.OID{}, err
	}
	if blob.IsZero() && len(commit.Parents) > 2 { // what was not tracked
		return s.inCommit(commit.Parents[2], path)
	}
	return blob, nil
}

package trails

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/origin"
)

// Work trees share their stashes. One that was made in one of them, and popped in another before anybody looked there,
// leaves nothing that tells of it but an index that was written. What it brought is found in what the other work trees
// had, and in the stashes that they knew of and that are gone.

// otherWorkTrees lists the git directories of the other work trees of the repository (gitrepository-layout(5)).
func otherWorkTrees(repo *refs.Repo) []string {
	entries, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if err != nil {
		return nil
	}
	var out []string
	if repo.Linked() {
		out = append(out, repo.CommonDir)
	}
	for _, e := range entries {
		if dir := filepath.Join(repo.CommonDir, "worktrees", e.Name()); dir != repo.GitDir {
			out = append(out, dir)
		}
	}
	return out
}

// fromElsewhere finds what git may have brought from another work tree: a content that one had last is explained; of
// any other one, the lines that stand in such a content keep their owners. A tool that reports what it found and left
// leaves nothing to be found.
func (s *step) fromElsewhere(f *file) (explained bool, err error) {
	if f.new.oid.IsZero() || f.new.whole || f.old.whole {
		return false, nil
	}
	if v, known := s.known.Get(f.path, f.new.oid); known && v.Len() == len(f.new.lines) &&
		slices.Contains(s.heldElsewhere(f.path), f.new.oid) {
		return true, nil
	}
	if s.gitAt(f.path).restored {
		return false, nil // see composed
	}
	if found := s.sourcesElsewhere(f); len(found) > 0 {
		here := origin.Candidate{Path: f.oldPath, Blob: f.old.oid} // none, if the file is new here
		f.from, err = s.originsIn(f.new.lines, slices.Concat([]origin.Candidate{here}, found), nil)
	}
	return false, err
}

// sourcesElsewhere are the contents, held elsewhere, from which git may have taken lines of a file.
func (s *step) sourcesElsewhere(f *file) []origin.Candidate {
	if tool, _ := s.reported(f.path); tool != nil || !s.gitAt(f.path).elsewhere {
		return nil
	}
	var out []origin.Candidate
	for _, blob := range s.heldElsewhere(f.path) {
		_, known := s.known.Get(f.path, blob)
		if !known || blob == f.old.oid {
			continue
		}
		if t, err := s.read(0, blob); err == nil && !t.whole {
			out = append(out, origin.Candidate{Path: f.path, Blob: blob, Trust: origin.Far})
		}
	}
	return out
}

// heldElsewhere lists what the other work trees had of a path when they were looked at last, and what those stashes
// have of it that were there then.
func (s *step) heldElsewhere(path string) []refs.OID {
	if s.dropped == nil {
		s.dropped = []refs.OID{}
		for _, other := range s.asides() {
			s.stashesGone(other.state.Git)
			for _, look := range other.state.Marks { // of a commit that git made, such as a revert, all is not looked at
				s.stashesGone(look.Git)
			}
		}
	}
	var out []refs.OID
	for _, other := range s.others {
		if entry, found := other.snap.Lookup(path); found {
			out = append(out, entry.OID)
		}
	}
	for _, stash := range s.dropped {
		if blob := s.inStash(stash, path); !blob.IsZero() {
			out = append(out, blob)
		}
	}
	return out
}

// stashesGone takes in those stashes of a mark that are not there any more.
func (s *step) stashesGone(mark gitfacts.Mark) {
	for _, stash := range mark.Stashes {
		if !slices.Contains(s.now.Stashes, stash) && !slices.Contains(s.dropped, stash) {
			s.dropped = append(s.dropped, stash)
		}
	}
}

// inStash is what a stash has of a path that it changes or that was not tracked; no id if it has none or is gone.
func (s *step) inStash(stash refs.OID, path string) refs.OID {
	parts, found := gitfacts.StashOf(s.facts, stash)
	if !found {
		return refs.OID{}
	}
	head, blob, err := parts.Blob(s.facts, path)
	if err != nil || blob == head {
		return refs.OID{}
	}
	return blob
}

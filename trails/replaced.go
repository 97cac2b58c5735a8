package trails

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// pairReplaced finds the older names of the files that a stash took away under new ones, where a checkout had put another
// content under the old name, or none, before the stash was made. What the work tree has now does not tell: git may have
// brought the old name back since, by a rebase for example. Only a content that is all the same counts.
func (s *step) pairReplaced(
	stash refs.OID, files []*file, stashed map[string]refs.OID, changes []snapshot.Change,
) error {
	wanted := map[refs.OID]bool{}
	for _, f := range unpaired(files) {
		wanted[f.new.oid] = true
	}
	if len(wanted) == 0 {
		return nil
	}
	taken, found := gitfacts.StashOf(s.facts, stash)
	if !found {
		return nil
	}
	var gone []*file
	seen := map[string]bool{}
	for _, left := range s.git.LeftFor(taken.Head) {
		changed, err := s.facts.Changed(left, taken.Head)
		if err != nil {
			continue // a commit that is gone says nothing
		}
		for _, c := range changed {
			if _, told := stashed[c.Path]; told || seen[c.Path] {
				continue
			}
			blob, found := replacedBlob(c, s.lastSeen(c.Path, changes), wanted)
			if !found {
				continue
			}
			seen[c.Path] = true
			old, err := s.read(0, blob)
			if err != nil {
				return err
			}
			gone = append(gone, &file{path: c.Path, oldPath: c.Path, old: old})
		}
	}
	pair(gone, unpaired(files), map[*file]bool{})
	return nil
}

// replacedBlob is the wanted content that a path had before a checkout: that which it was last seen with, or that of the commit
// that was left. A content that the path still has was copied, not moved.
func replacedBlob(c snapshot.Change, last snapshot.Entry, wanted map[refs.OID]bool) (refs.OID, bool) {
	if wanted[last.OID] && last.OID != c.New {
		return last.OID, true
	}
	return c.Old, wanted[c.Old]
}

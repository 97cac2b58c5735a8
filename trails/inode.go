package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A file gets a new name that nobody sees, and git brings the old name back with what it had, as by a checkout and the one back. By
// its content the new one is a copy, and a copy is its maker's. But it is the file that the old name was seen with.

// pairMoved pairs the new files that are those which another path was last seen with, and to which git gave the same content anew.
func (s *step) pairMoved(last *snapshot.Engine, files []*file) error {
	born := unpaired(files)
	if len(born) == 0 || s.now.Head.IsZero() {
		return nil
	}
	there, err := s.facts.Files(s.now.Head)
	if err != nil {
		return nil //nolint:nilerr // a commit that cannot be read says nothing
	}
	wanted := map[refs.OID]bool{}
	for _, f := range born {
		wanted[f.new.oid] = true
	}
	for _, one := range there {
		if !wanted[one.Blob] {
			continue
		}
		was, found := last.Lookup(one.Path)
		if !found || was.OID != one.Blob {
			continue
		}
		i := slices.IndexFunc(born, func(f *file) bool {
			return f.old.oid.IsZero() && f.new.oid == one.Blob && last.Moved(one.Path, f.path)
		})
		if i >= 0 {
			born[i].oldPath, born[i].oldMode, born[i].old = one.Path, was.Mode, born[i].new
		}
	}
	return nil
}

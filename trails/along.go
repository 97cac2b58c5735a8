package trails

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// Git takes a new file along into the directory that those beside it have moved to (git-merge(1), on renames of directories), when it
// merges, picks, rebases or applies a stash. It comes under a name then that the commit has not for it from which git took it.

// pairAlong pairs the new files of which no older name is known with those that git may have taken along: files of the same base
// name that the work tree has not, and had not. A copy of what is there is its maker's.
func (s *step) pairAlong(files []*file) error {
	if s.git == nil || !s.git.restored {
		return nil
	}
	born := slices.DeleteFunc(unpaired(files), func(f *file) bool {
		_, known := s.known.Get(f.path, f.new.oid)
		return known || f.new.whole
	})
	if len(born) == 0 || !s.findLast() {
		return nil
	}
	for _, from := range s.git.TakenAlong(s.commit) {
		gone, err := s.awayIn(from, born)
		if err != nil {
			return err
		}
		pair(gone, born, map[*file]bool{})
		born = unpaired(born)
	}
	return nil
}

// awayIn lists the files of a commit that have the base name of a new file which that commit has not, and that the work tree has not.
func (s *step) awayIn(from gitfacts.Operand, born []*file) ([]*file, error) {
	wanted := map[string][]refs.OID{} // the contents of new files, by base name
	for _, f := range born {
		there, err := s.facts.Blob(from.Commit, f.path)
		if err != nil {
			return nil, err
		}
		if there.IsZero() && (!from.Perhaps || s.objects.MayBeStored(f.new.oid)) {
			wanted[path.Base(f.path)] = append(wanted[path.Base(f.path)], f.new.oid)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	list, err := s.facts.Files(from.Commit)
	if err != nil {
		return nil, nil //nolint:nilerr // a commit that is gone says nothing
	}
	var out []*file
	for _, one := range list {
		contents := wanted[path.Base(one.Path)]
		if len(contents) == 0 || from.Perhaps && !slices.Contains(contents, one.Blob) {
			continue
		}
		_, before := s.last.Lookup(one.Path)
		_, err := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(one.Path)))
		if before || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		old, err := s.read(0, one.Blob)
		if err != nil {
			return nil, err
		}
		out = append(out, &file{path: one.Path, oldPath: one.Path, old: old})
	}
	return out, nil
}

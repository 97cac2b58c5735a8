package trails

import (
	"bytes"
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
	there, err := s.listed(s.now.Head)
	if err != nil {
		return nil //nolint:nilerr // a commit that cannot be read says nothing
	}
	wanted := map[refs.OID]bool{}
	for _, f := range born {
		wanted[f.new.oid] = true
	}
	for _, one := range there {
		if !wanted[one.oid] {
			continue
		}
		was, found := last.Lookup(one.path)
		if !found || was.OID != one.oid {
			continue
		}
		i := slices.IndexFunc(born, func(f *file) bool {
			return f.old.oid.IsZero() && f.new.oid == one.oid && last.Moved(one.path, f.path)
		})
		if i >= 0 {
			born[i].oldPath, born[i].oldMode, born[i].old = one.path, was.Mode, born[i].new
		}
	}
	return nil
}

// listedFile is a file of a commit.
type listedFile struct {
	path string
	oid  refs.OID
}

// listed lists the files of a commit, the submodules apart.
func (s *step) listed(commit refs.OID) ([]listedFile, error) {
	if list, done := s.lists[commit]; done {
		return list, nil
	}
	raw, err := s.repo.Git(s.ctx, nil, "ls-tree", "-r", "-z", commit.String())
	if err != nil {
		return nil, err
	}
	list := []listedFile{}
	for record := range bytes.SplitSeq(raw, []byte{0}) {
		head, path, _ := bytes.Cut(record, []byte("\t"))
		words := bytes.Fields(head)
		if len(words) != 3 || string(words[1]) != "blob" {
			continue
		}
		if oid, err := refs.ParseOID(string(words[2])); err == nil {
			list = append(list, listedFile{string(path), oid})
		}
	}
	if s.lists == nil {
		s.lists = map[refs.OID][]listedFile{}
	}
	s.lists[commit] = list
	return list, nil
}

package trails

import (
	"path"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// If a repository lies in the work tree, git sees its commit and not its files. Tools that set up a project make
// such repositories. Once its git directory is removed, its files turn up as new ones. Lines that nobody has
// written since the last look belong to the nested repository's owner. For example: an agent runs create-next-app,
// and a person removes app/.git.

// nestedKey returns the key in the ledger for the owners of a nested repository, by its commits.
func nestedKey(dir string) string { return dir + "/" }

// keepNested remembers who made a nested repository, or a commit in it.
func (s *step) keepNested(f *file, owner vector.Owner) error {
	if f.newMode != refs.ModeGitlink {
		return nil
	}
	return s.known.Put(nestedKey(f.path), f.new.oid, vector.Uniform(1, owner))
}

// fromNested says whose the lines of a file are that lay in a nested repository until now; nil for any other file.
func (s *workTree) fromNested(f *file) []vector.Origin {
	if !f.old.oid.IsZero() || f.new.oid.IsZero() || f.new.whole || path.Dir(f.path) == "." ||
		!s.writtenBeforeLook(f.path) || !s.findLast() {
		return nil
	}
	for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
		if was, found := s.last.Lookup(dir); found && was.Mode == refs.ModeGitlink || slices.Contains(s.older.nested, dir) {
			return []vector.Origin{{Count: len(f.new.lines), Why: vector.Equal, Owner: s.ownerOfNested(dir)}}
		}
	}
	return nil
}

// noteNested remembers the nested repositories that were in the last look and are gone in this one.
func (s *workTree) noteNested(changes []snapshot.Change) {
	for _, c := range changes {
		if c.OldMode == refs.ModeGitlink && c.New.IsZero() {
			s.older.nested = append(s.older.nested, c.Path)
		}
	}
}

// ownerOfNested returns the maker of a nested repository and its commits; unknown if several did.
func (s *workTree) ownerOfNested(dir string) vector.Owner {
	owner := vector.Unknown
	for i, commit := range s.known.Blobs(nestedKey(dir), origin.MaxEarlier) {
		v, _ := s.known.Get(nestedKey(dir), commit)
		if i > 0 && v.At(0) != owner {
			return vector.Unknown
		}
		owner = v.At(0)
	}
	return owner
}

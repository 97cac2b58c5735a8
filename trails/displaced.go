package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// displaced lists the contents that may live on under another name though no deletion was seen: git put something else
// in their place, brought them between two looks, or took them away for a while. What is known to have a new name does not.
func (s *step) displaced(files []*file) ([]*file, error) {
	if !s.git.restored || len(unpaired(files)) == 0 {
		return nil, nil
	}
	var out []*file
	seen := map[string]bool{}
	for _, f := range files {
		// What git put in the place of a content before that was taken away is in HEAD.
		seen[f.path] = !f.new.oid.IsZero()
		if !f.old.oid.IsZero() && !f.new.oid.IsZero() && f.oldPath == f.path {
			out = append(out, &file{path: f.path, oldPath: f.path, oldMode: f.oldMode, old: f.old})
		}
	}
	add := func(path string, entry snapshot.Entry) error {
		if seen[path] {
			return nil
		}
		seen[path] = true
		t, err := s.read(entry.Mode, entry.OID)
		if err == nil {
			out = append(out, &file{path: path, oldPath: path, oldMode: entry.Mode, old: t})
		}
		return err
	}
	for _, stash := range gitfacts.Newer(s.now.Stashes, s.state.Git.Stashes) {
		blobs, err := s.stashedBlobs(stash)
		if err != nil {
			return nil, err
		}
		for path, blob := range blobs {
			if entry, found := s.snap.Lookup(path); found && blob.IsZero() {
				if err := add(path, entry); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := s.cameBack(files, add); err != nil {
		return nil, err
	}
	wanted := map[refs.OID]bool{}
	for _, f := range unpaired(files) {
		wanted[f.new.oid] = true
	}
	for _, commit := range s.git.Lately() {
		left, err := s.missingFrom(commit, wanted, add)
		if err != nil {
			return nil, err
		}
		out = append(out, left...)
	}
	return out, nil
}

// cameBack lists the files that were not there when somebody committed one of the new files, and that git brought back since,
// by a merge for example.
func (s *step) cameBack(files []*file, add func(string, snapshot.Entry) error) error {
	moves, _ := s.git.Moves()
	brought := append([]refs.OID{s.now.Head}, s.git.Merging()...)
	created := unpaired(files)
	for _, made := range moves[max(0, len(moves)-gitfacts.MaxCommitted):] {
		if !made.LeavesFiles() || !slices.ContainsFunc(created, func(f *file) bool {
			blob, err := s.facts.Blob(made.To, f.path)
			return err == nil && blob == f.new.oid
		}) {
			continue
		}
		for _, commit := range brought {
			changed, err := s.facts.Changed(made.To, commit)
			if err != nil {
				continue // a commit that is gone says nothing
			}
			for _, c := range changed {
				if entry, found := s.snap.Lookup(c.Path); found && c.OldMode == 0 {
					if err := add(c.Path, entry); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// missingFrom adds the files that a commit has and the work tree has not, and lists those of a wanted content that git left in that
// commit for another one: a copy of what is still there is its maker's. One that is gone has none.
func (s *step) missingFrom(commit refs.OID, wanted map[refs.OID]bool, add func(string, snapshot.Entry) error) ([]*file, error) {
	list, err := s.facts.Files(commit)
	if err != nil {
		if commit == s.now.Head {
			return nil, err
		}
		return nil, nil
	}
	var left []*file
	for _, one := range list {
		path, oid := one.Path, one.Blob
		entry, found := s.snap.Lookup(path)
		switch {
		case !found:
			if err := add(path, snapshot.Entry{OID: oid}); err != nil {
				return nil, err
			}
		case wanted[oid] && entry.OID != oid && s.git.WentOn(commit, path, oid):
			old, err := s.read(0, oid)
			if err != nil {
				return nil, err
			}
			left = append(left, &file{path: path, oldPath: path, old: old})
		}
	}
	return left, nil
}

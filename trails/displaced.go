package trails

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
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
	for _, stash := range s.now.Stashes {
		if slices.Contains(s.state.Git.Stashes, stash) {
			break
		}
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
	for _, commit := range s.lately() {
		left, err := s.missingFrom(commit, wanted, add)
		if err != nil {
			return nil, err
		}
		out = append(out, left...)
	}
	return out, nil
}

// maxCommitted bounds the commits that are asked for files that were away.
const maxCommitted = 8

// cameBack lists the files that were not there when somebody committed one of the new files, and that git brought back since,
// by a merge for example.
func (s *step) cameBack(files []*file, add func(string, snapshot.Entry) error) error {
	steps, _ := stepsSince(s.repo, s.git.before)
	brought := append([]refs.OID{s.now.Head}, operandFile(s.repo, "MERGE_HEAD")...)
	created := unpaired(files)
	for _, made := range steps[max(0, len(steps)-maxCommitted):] {
		if !made.commits() || !slices.ContainsFunc(created, func(f *file) bool {
			blob, err := s.inCommit(made.new, f.path)
			return err == nil && blob == f.new.oid
		}) {
			continue
		}
		for _, commit := range brought {
			raw, err := s.repo.Git(s.ctx, nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A",
				made.new.String(), commit.String())
			if err != nil {
				continue // a commit that is gone says nothing
			}
			for path := range bytes.SplitSeq(raw, []byte{0}) {
				if entry, found := s.snap.Lookup(string(path)); found {
					if err := add(string(path), entry); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// maxLately bounds the commits that are asked for files that the work tree has not.
const maxLately = 3

// lately lists the commits that HEAD has been at since everything was looked at, the present one first: one that was amended
// had the old name of a file.
func (s *step) lately() []refs.OID {
	var out []refs.OID
	add := func(oid refs.OID) {
		if !oid.IsZero() && !slices.Contains(out, oid) && len(out) < maxLately {
			out = append(out, oid)
		}
	}
	add(s.now.Head)
	steps, _ := stepsSince(s.repo, s.git.before)
	for _, step := range slices.Backward(steps) {
		add(step.new)
	}
	return out
}

// missingFrom adds the files that a commit has and the work tree has not, and lists those of a wanted content that git left in that
// commit for another one: a copy of what is still there is its maker's. One that is gone has none.
func (s *step) missingFrom(commit refs.OID, wanted map[refs.OID]bool, add func(string, snapshot.Entry) error) ([]*file, error) {
	list, err := s.listed(commit)
	if err != nil {
		if commit == s.now.Head {
			return nil, err
		}
		return nil, nil
	}
	var left []*file
	for _, one := range list {
		path, oid := one.path, one.oid
		entry, found := s.snap.Lookup(path)
		switch {
		case !found:
			if err := add(path, snapshot.Entry{OID: oid}); err != nil {
				return nil, err
			}
		case wanted[oid] && entry.OID != oid && s.wentOn(commit, path, oid):
			old, err := s.read(0, oid)
			if err != nil {
				return nil, err
			}
			left = append(left, &file{path: path, oldPath: path, old: old})
		}
	}
	return left, nil
}

// wentOn tells whether git put another content in the place of that which a commit has at a path, when it went on from there. A
// reset may have left all files as they were, and what somebody commits he had put there himself.
func (s *step) wentOn(commit refs.OID, path string, blob refs.OID) bool {
	steps, _ := stepsSince(s.repo, s.git.before)
	at := s.git.before.Head
	for _, made := range steps {
		if at == commit && !made.byHand() && made.verb != "reset" {
			if now, err := s.inCommit(made.new, path); err == nil && now != blob {
				return true
			}
		}
		at = made.new
	}
	return false
}

package trails

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// attributeStashed settles what a new stash took out of the work tree before anybody saw it there: whoever could have
// written it since the last boundary wrote it, whoever may bring it back.
func (s *step) attributeStashed(changes []snapshot.Change) error {
	var files []*file
	for _, stash := range s.now.Stashes {
		if !s.git.restored || s.git.doubtful || slices.Contains(s.state.Git.Stashes, stash) {
			break
		}
		found, err := s.stashed(stash, changes)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	return s.settleFiles(files, s.segments)
}

// stashed lists the files of a stash that differ from what was last seen and were never seen so.
func (s *step) stashed(stash refs.OID, changes []snapshot.Change) ([]*file, error) {
	commit, err := s.objects.Commit(stash)
	if err != nil || len(commit.Parents) < 2 {
		return nil, nil //nolint:nilerr // no stash, or none that can be read: nothing is learnt from it
	}
	raw, err := s.repo.Git(s.ctx, nil, "diff-tree", "-r", "-z", "--no-renames", commit.Parents[0].String(), stash.String())
	if err != nil {
		return nil, err
	}
	if len(commit.Parents) > 2 {
		untracked, err := s.repo.Git(s.ctx, nil, "diff-tree", "-r", "-z", "--no-renames", "--root", "--no-commit-id",
			commit.Parents[2].String())
		if err != nil {
			return nil, err
		}
		raw = append(raw, untracked...)
	}
	var out []*file
	for path, blob := range stashedBlobs(raw) {
		f, err := s.unseen(path, blob, changes)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *file) int { return bytes.Compare([]byte(a.path), []byte(b.path)) })
	return out, nil
}

// stashedAway lists the contents that may live on under another name though their path is not gone: git put something
// else in their place, or a new stash says that they were away for a while.
func (s *step) stashedAway(files []*file) ([]*file, error) {
	if !s.git.restored || !slices.ContainsFunc(files, func(f *file) bool { return f.old.oid.IsZero() }) {
		return nil, nil
	}
	var out []*file
	for _, f := range files {
		if !f.old.oid.IsZero() && !f.new.oid.IsZero() {
			out = append(out, &file{path: f.path, oldPath: f.path, oldMode: f.oldMode, old: f.old})
		}
	}
	for _, stash := range s.now.Stashes {
		if slices.Contains(s.state.Git.Stashes, stash) {
			break
		}
		raw, err := s.repo.Git(s.ctx, nil, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=D",
			stash.String()+"^1", stash.String())
		if err != nil {
			return nil, err
		}
		for field := range bytes.SplitSeq(raw, []byte{0}) {
			path := string(field)
			entry, found := s.snap.Lookup(path)
			if path == "" || path[0] == ':' || !found || slices.ContainsFunc(files, func(f *file) bool { return f.path == path }) {
				continue
			}
			t, err := s.read(entry.Mode, entry.OID)
			if err != nil {
				return nil, err
			}
			out = append(out, &file{path: path, oldPath: path, oldMode: entry.Mode, old: t})
		}
	}
	return out, nil
}

// stashedBlobs reads raw records of git-diff-tree(1): path → blob, deletions left out.
func stashedBlobs(raw []byte) map[string]refs.OID {
	out := map[string]refs.OID{}
	fields := bytes.Split(raw, []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		words := bytes.Fields(fields[i])
		if len(words) != 5 {
			return out
		}
		oid, err := refs.ParseOID(string(words[3]))
		if err == nil && !oid.IsZero() && !bytes.Equal(words[1], []byte("160000")) {
			out[string(fields[i+1])] = oid
		}
	}
	return out
}

// unseen is the change from what a path was last seen with to a content that it was never seen with; nil for none.
func (s *step) unseen(path string, blob refs.OID, changes []snapshot.Change) (*file, error) {
	if _, known := s.known.Get(path, blob); known {
		return nil, nil
	}
	entry, _ := s.snap.Lookup(path)
	for _, c := range changes {
		if c.Path == path {
			entry = snapshot.Entry{Mode: c.OldMode, OID: c.Old}
		}
	}
	if entry.OID == blob {
		return nil, nil
	}
	f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode}
	var err error
	if f.old, err = s.read(entry.Mode, entry.OID); err != nil {
		return nil, err
	}
	if f.new, err = s.read(0, blob); err != nil {
		return nil, err
	}
	if f.old.whole || f.new.whole {
		return nil, nil
	}
	f.vec = s.vectorOf(path, f.old)
	near := []Source{{Path: path, Blob: f.old.oid}}
	more, err := s.commitSources(path)
	if err != nil {
		return nil, err
	}
	near = slices.DeleteFunc(append(near, more...), func(n Source) bool { return n.Blob == blob })
	f.from, err = s.origins(path, f.new.lines, near)
	return f, err
}

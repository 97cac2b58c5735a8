package trails

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
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
	for _, from := range s.takenFrom() {
		gone, err := s.awayIn(from, born)
		if err != nil {
			return err
		}
		pair(gone, born, map[*file]bool{})
		born = unpaired(born)
	}
	return nil
}

// taken is a commit that git may have taken files from; perhaps, if nothing tells that it took any.
type taken struct {
	commit  refs.OID
	perhaps bool
}

// takenFrom lists the commits of which git may have taken whole files along since everything was looked at: those that were merged,
// picked or rebased, and the stashes that are gone. One that stopped at such a file is still there (git-stash(1), pop).
func (s *step) takenFrom() []taken {
	var out []taken
	add := func(perhaps bool, oids ...refs.OID) {
		for _, oid := range oids {
			if !oid.IsZero() && !slices.ContainsFunc(out, func(t taken) bool { return t.commit == oid }) && len(out) < maxCommitted {
				out = append(out, taken{oid, perhaps})
			}
		}
	}
	ref := func(names ...string) {
		for _, name := range names {
			if oid, err := s.repo.ReadRef(name); err == nil {
				add(false, oid)
			}
		}
	}
	stash := func(perhaps bool, stash refs.OID) {
		if c, err := s.objects.Commit(stash); err == nil && len(c.Parents) > 1 {
			add(perhaps, stash)
			add(perhaps, c.Parents[2:]...) // what was not tracked
		}
	}
	add(false, operandFile(s.repo, "MERGE_HEAD")...)
	ref("CHERRY_PICK_HEAD", "REBASE_HEAD")
	for _, old := range s.git.before.Stashes {
		if !slices.Contains(s.now.Stashes, old) {
			stash(false, old)
		}
	}
	steps, _ := stepsSince(s.repo, s.git.before)
	for _, made := range slices.Backward(steps[max(0, len(steps)-maxCommitted):]) {
		commit, err := s.objects.Commit(made.new)
		switch {
		case err != nil: // one that is gone says nothing
		case len(commit.Parents) > 1:
			add(false, commit.Parents[1:]...)
		case strings.Contains(made.verb, "cherry-pick"):
			add(false, s.namesakes(s.git, commit.Message, sameAuthor(commit.Author))...)
		case strings.Contains(made.verb, "rebase"):
			ref("ORIG_HEAD")
		}
	}
	if len(s.now.Stashes) > 0 && s.git.before.Index != s.now.Index {
		stash(true, s.now.Stashes[0])
	}
	return out
}

// awayIn lists the files of a commit that have the base name of a new file which that commit has not, and that the work tree has not.
func (s *step) awayIn(from taken, born []*file) ([]*file, error) {
	wanted := map[string][]refs.OID{} // the contents of new files, by base name
	for _, f := range born {
		there, err := s.inCommit(from.commit, f.path)
		if err != nil {
			return nil, err
		}
		if there.IsZero() && (!from.perhaps || s.objects.MayBeStored(f.new.oid)) {
			wanted[path.Base(f.path)] = append(wanted[path.Base(f.path)], f.new.oid)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	list, err := s.listed(from.commit)
	if err != nil {
		return nil, nil //nolint:nilerr // a commit that is gone says nothing
	}
	var out []*file
	for _, one := range list {
		contents := wanted[path.Base(one.path)]
		if len(contents) == 0 || from.perhaps && !slices.Contains(contents, one.oid) {
			continue
		}
		_, before := s.last.Lookup(one.path)
		_, err := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(one.path)))
		if before || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		old, err := s.read(0, one.oid)
		if err != nil {
			return nil, err
		}
		out = append(out, &file{path: one.path, oldPath: one.path, old: old})
	}
	return out, nil
}

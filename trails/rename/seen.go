package rename

import (
	"errors"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// `deleted` finds the files that are missing now. For example: an agent writes a.txt, and a person runs mv a.txt b.txt.
func deleted(q *Query, _ []*File, try func([]*File)) error {
	try(q.gone())
	return nil
}

// `gone` lists the missing files, with their last seen contents.
func (q *Query) gone() []*File {
	var out []*File
	for i := range q.Changes {
		if c := &q.Changes[i]; c.New.IsZero() && !c.Old.OID.IsZero() {
			out = append(out, &c.Old)
		}
	}
	return out
}

// `former` finds the earlier contents of missing files. For example: a person formats an agent's a.txt, restores it
// from a copy, and runs mv a.txt b.txt before the next look.
func former(q *Query, born []*File, try func([]*File)) error {
	lines := func() (all [][]byte) {
		for _, b := range born {
			all = append(all, b.Lines...)
		}
		return all
	}
	gone := q.gone()
	if len(gone) > renameLimit { // each of them costs a read
		return nil
	}
	var out []*File
	for _, old := range gone {
		for _, blob := range q.Former(old.Path, lines) {
			f, err := q.file(old.Path, old.Mode, blob)
			if errors.Is(err, refs.ErrMissing) {
				continue // the side store no longer has it
			}
			if err != nil {
				return err
			}
			f.last = old
			out = append(out, f)
		}
	}
	try(out)
	return nil
}

// `untold` tries the missing files that no stash has, and then the files that a stash deleted and that the full
// snapshot before did not see. For example: an agent writes a.txt, and nobody adds it to the index. A person runs mv
// a.txt b.txt, git add b.txt and git stash. Or: git mv, git stash, and a git revert of the commit that had brought the
// old name.
func untold(q *Query, _ []*File, try func([]*File)) error {
	try(q.Untold)
	return nil
}

// `lost` lists the contents that another content of the same path has replaced.
func (q *Query) lost() []*File {
	var out []*File
	for i := range q.Changes {
		if c := &q.Changes[i]; !c.New.IsZero() && !c.Old.OID.IsZero() {
			out = append(out, &c.Old)
		}
	}
	return out
}

// inIndex finds files that git mv renamed, by the index. It asks git only if a content suggests it. For example: a
// person runs git mv a.txt b.txt and writes a new a.txt.
func inIndex(q *Query, born []*File, try func([]*File)) error {
	lost := q.lost()
	if len(match("", lost, born)) == 0 {
		return nil
	}
	try(q.renamedFrom(lost, born, false))
	return nil
}

// movedInIndex finds the missing files that git mv renamed, by the index. The new name may have a very different text
// since. It asks git only if git's index was written. For example: a person runs git mv a.txt b.txt and rewrites most
// of b.txt.
func movedInIndex(q *Query, born []*File, try func([]*File)) error {
	if q.Work.Before.Index == q.Work.Now.Index {
		return nil
	}
	return deleted(q, born, func(gone []*File) {
		if len(gone) > 0 {
			try(q.renamedFrom(gone, born, true))
		}
	})
}

// renamedFrom lists the old files that have one of the new names in the index. If `told` is set, such a file is a
// rename even if the texts are not similar.
func (q *Query) renamedFrom(old, born []*File, told bool) []*File {
	staged := q.Staged()
	var out []*File
	for _, b := range born {
		for _, o := range old {
			if staged[b.Path] == o.Path {
				one := *o
				one.only, one.told = b.Path, told
				out = append(out, &one)
			}
		}
	}
	return out
}

// sameInode finds the files that have the inode of a new file. By its content the new file seems to be a copy, which
// would belong to the person who made it. But the old name was seen with this inode. A file that was written since the
// last full snapshot does not count. For example: an agent's a.txt is committed, and a person runs mv a.txt b.txt and
// git restore a.txt.
func sameInode(q *Query, born []*File, try func([]*File)) error {
	if !q.Wrote && q.Work.Before.Index == q.Work.Now.Index || q.Work.Now.Head.IsZero() { // git brought nothing back
		return nil
	}
	older := slices.DeleteFunc(slices.Clone(born), func(b *File) bool { return !q.Tree.Older(b.Path) })
	if len(older) == 0 {
		return nil
	}
	last, readable := q.Last()
	if !readable {
		return nil
	}
	there, err := q.Work.Reader.Files(q.Work.Now.Head)
	if err != nil {
		return nil //nolint:nilerr // skip a commit that cannot be read
	}
	var out []*File
	for _, one := range there {
		i := slices.IndexFunc(older, func(b *File) bool { return b.OID == one.Blob })
		if i < 0 {
			continue
		}
		was, found := last.Lookup(one.Path)
		if !found || was.OID != one.Blob {
			continue
		}
		for _, b := range older {
			if b.OID == one.Blob && last.Moved(one.Path, b.Path) {
				out = append(out, &File{Path: one.Path, Mode: was.Mode, OID: was.OID, Lines: b.Lines, only: b.Path})
			}
		}
	}
	try(out)
	return nil
}

// overwritten finds the contents that git replaced with others. For example: an agent writes a.txt, a person runs mv
// a.txt b.txt, and git reset --hard brings back an older a.txt.
func overwritten(q *Query, _ []*File, try func([]*File)) error {
	if q.Wrote {
		try(q.lost())
	}
	return nil
}

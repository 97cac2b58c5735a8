package rename

import (
	"path"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// inStash finds the files that a new stash records as deleted, and that exist again. For example: an agent's a.txt is
// committed, and a person runs mv a.txt b.txt and git stash. Git brings a.txt back, and the untracked b.txt stays.
func inStash(q *Query, _ []*File, try func([]*File)) error {
	if !q.Wrote {
		return nil
	}
	var out []*File
	for _, oid := range q.Stashes {
		stash, found := gitfacts.StashOf(q.Work.Reader, oid)
		if !found {
			continue
		}
		blobs, err := stash.Blobs(q.Work.Reader)
		if err != nil {
			return err
		}
		for path, blob := range blobs {
			if !blob.IsZero() {
				continue
			}
			f, err := q.back(path)
			if err != nil {
				return err
			}
			if f != nil {
				out = append(out, f)
			}
		}
	}
	try(out)
	return nil
}

// `back` returns the file at a path that the work tree has again; nil if there is none, or if it was returned before.
func (q *Query) back(path string) (*File, error) {
	if !q.Tree.Has(path) || !q.once(path) {
		return nil, nil
	}
	now := q.Tree.Entry(path)
	return q.file(path, now.Mode, now.OID)
}

// `returned` finds the files that were missing when somebody committed one of the new files, and that git has brought
// back since. For example: a person runs git mv a.txt b.txt and git commit, and git merge brings a.txt back.
func returned(q *Query, born []*File, try func([]*File)) error {
	if !q.Wrote {
		return nil
	}
	moves, _ := q.Work.Moves()
	brought := append([]refs.OID{q.Work.Now.Head}, q.Work.Merging()...)
	var out []*File
	for _, made := range moves[max(0, len(moves)-gitfacts.MaxCommitted):] {
		if !made.LeavesFiles() || !slices.ContainsFunc(born, func(b *File) bool {
			blob, err := q.Work.Reader.Blob(made.To, b.Path)
			return err == nil && blob == b.OID
		}) {
			continue
		}
		for _, commit := range brought {
			changed, err := q.Work.Reader.Changed(made.To, commit)
			if err != nil {
				continue // skip a missing commit
			}
			for _, c := range changed {
				if c.OldMode != 0 {
					continue
				}
				f, err := q.back(c.Path)
				if err != nil {
					return err
				}
				if f != nil {
					out = append(out, f)
				}
			}
		}
	}
	try(out)
	return nil
}

// missingOf finds the files that recent commits of HEAD or missing stashes have, and that are missing in the work tree.
// Files whose wanted content git has replaced there also count. For example: git switch or git stash pop brings an
// agent's a.txt, and a person runs mv a.txt b.txt before the next look. A copy of a file that still exists belongs to
// the person who made the copy.
func missingOf(q *Query, born []*File, try func([]*File)) error {
	if !q.Wrote {
		return nil
	}
	wanted := map[refs.OID]bool{}
	for _, b := range born {
		wanted[b.OID] = true
	}
	var out []*File
	for _, commit := range slices.Concat(q.Work.Lately(), q.Work.GoneStashes()) {
		list, err := q.Work.Reader.Files(commit)
		if err != nil {
			if commit == q.Work.Now.Head {
				return err
			}
			continue
		}
		for _, one := range list {
			there := q.Tree.Has(one.Path)
			lost := !there && (q.once(one.Path) || wanted[one.Blob])
			left := there && wanted[one.Blob] && q.Tree.Entry(one.Path).OID != one.Blob &&
				q.Work.WentOn(commit, one.Path, one.Blob)
			if !lost && !left {
				continue
			}
			f, err := q.file(one.Path, 0, one.Blob)
			if err != nil {
				return err
			}
			out = append(out, f)
		}
	}
	try(out)
	return nil
}

// `replaced` finds the contents that a checkout replaced or removed under a name, before a stash was made. The present
// work tree is not evidence: git may have brought the old name back since, for example in a rebase. Only an equal
// content counts. For example: an agent writes a.txt, a person runs mv a.txt b.txt, git switch brings another a.txt,
// and git stash -u takes b.txt.
func replaced(q *Query, born []*File, try func([]*File)) error {
	wanted := map[refs.OID]bool{}
	for _, b := range born {
		wanted[b.OID] = true
	}
	last, readable := q.Last()
	if !readable {
		return nil
	}
	var out []*File
	seen := map[string]bool{}
	for _, left := range q.Work.LeftFor(q.Stash.Head) {
		changed, err := q.Work.Reader.Changed(left, q.Stash.Head)
		if err != nil {
			continue // skip a missing commit
		}
		for _, c := range changed {
			was, _ := last.Lookup(c.Path)
			blob, found := replacedBlob(c, was.OID, wanted)
			if _, told := q.Stashed[c.Path]; told || seen[c.Path] || !found {
				continue
			}
			seen[c.Path] = true
			f, err := q.file(c.Path, 0, blob)
			if err != nil {
				return err
			}
			out = append(out, f)
		}
	}
	try(out)
	return nil
}

// replacedBlob returns the wanted content that a path had before a checkout. It is the last content seen there, or the
// content in the commit that HEAD left. A content that the path still has was copied, not moved.
func replacedBlob(c snapshot.Change, last refs.OID, wanted map[refs.OID]bool) (refs.OID, bool) {
	if wanted[last] && last != c.New {
		return last, true
	}
	return c.Old, wanted[c.Old]
}

// takenAlong finds the files that git may have moved with their neighbours into a renamed directory (git-merge(1), on
// renames of directories). They have the base name of a new file, in a commit from which git took something. The work
// tree does not have their path in that commit, and did not have it before. For example: main renamed old to new, an
// agent's branch adds old/a.txt, and git merge puts it at new/a.txt.
func takenAlong(q *Query, born []*File, try func([]*File)) error {
	born = slices.DeleteFunc(slices.Clone(born), func(b *File) bool { return len(b.Lines) == 0 || q.Known(b.Path, b.OID) })
	if !q.Wrote || len(born) == 0 {
		return nil
	}
	last, readable := q.Last()
	if !readable {
		return nil
	}
	for _, from := range q.Work.TakenAlong(q.Asked) {
		gone, err := q.awayIn(from, born, last)
		if err != nil {
			return err
		}
		try(gone)
	}
	return nil
}

// awayIn lists the files of a commit that git may have moved along.
func (q *Query) awayIn(from gitfacts.Operand, born []*File, last Seen) ([]*File, error) {
	wanted := map[string][]refs.OID{} // the contents of new files, by base name
	for _, b := range born {
		there, err := q.Work.Reader.Blob(from.Commit, b.Path)
		if err != nil {
			return nil, err
		}
		if there.IsZero() && (!from.Perhaps || q.Stored(b.OID)) {
			wanted[path.Base(b.Path)] = append(wanted[path.Base(b.Path)], b.OID)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	list, err := q.Work.Reader.Files(from.Commit)
	if err != nil {
		return nil, nil //nolint:nilerr // skip a missing commit
	}
	var out []*File
	for _, one := range list {
		contents := wanted[path.Base(one.Path)]
		if len(contents) == 0 || from.Perhaps && !slices.Contains(contents, one.Blob) {
			continue
		}
		if _, before := last.Lookup(one.Path); before || !q.Tree.Gone(one.Path) {
			continue
		}
		f, err := q.file(one.Path, 0, one.Blob)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// onTheWay finds the missing files that a later commit had under a new name. The new name may have a very different
// text now. For example: git mv, git commit, and a git revert that rewrites most of the file.
func onTheWay(q *Query, born []*File, try func([]*File)) error {
	var gone []*File
	if err := deleted(q, born, func(list []*File) { gone = list }); err != nil || len(gone) == 0 {
		return err
	}
	moves, _ := q.Work.Moves()
	var out []*File
	for _, b := range born {
		for _, m := range moves[max(0, len(moves)-gitfacts.MaxCommitted):] {
			blob, err := q.Work.Reader.Blob(m.To, b.Path)
			if err != nil || blob.IsZero() || blob == b.OID {
				continue // skip a missing commit
			}
			then, err := q.file(b.Path, 0, blob)
			if err != nil {
				return err
			}
			if found := match("", gone, []*File{then}); len(found) > 0 {
				one := *found[0].Old
				one.only, one.told = b.Path, true
				out = append(out, &one)
				break
			}
		}
	}
	try(out)
	return nil
}

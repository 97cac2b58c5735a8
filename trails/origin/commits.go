package origin

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/linediff"
)

// The finders of contents that commits have.

// `amended` finds the amended commit's content of the path, if the anchored commit replaced one. git-commit(1) --amend
// makes its commit from the index, and the index had the amended commit's content. If the amended commit brought the
// file, the new commit's parent does not have the file. If nobody saw a content, its lines are only known to be older
// than the last full snapshot. So the amended commit must also be older than that snapshot. For example: an agent
// writes a file, a person commits it, adds a line, and amends the commit. The agent's lines are in the first commit.
func amended(q *Query) ([]Candidate, error) {
	commit := q.Work.AmendedBy(q.Commit)
	if commit.IsZero() {
		return nil, nil
	}
	for _, name := range q.names() {
		blob, err := q.Git.Blob(commit, name)
		if err != nil {
			return nil, err
		}
		if blob.IsZero() {
			continue
		}
		if q.knows(name, blob) || !q.Young(commit) {
			return []Candidate{{Path: name, Blob: blob}}, nil
		}
		return nil, nil
	}
	return nil, nil
}

// autostash finds the content that git put aside for a rebase or a merge and brought back. Only contents that a
// snapshot saw count. For example: an agent writes a line and nobody commits it. git rebase --autostash puts it aside
// and back, and it stays the agent's.
func autostash(q *Query) ([]Candidate, error) {
	kept := q.Work.Before.Autostash
	if !q.Work.Restored || kept.IsZero() || !q.Work.Now.Autostash.IsZero() {
		return nil, nil
	}
	for _, name := range q.names() {
		blob, err := q.Git.Blob(kept, name)
		if err != nil {
			return nil, err
		}
		if q.knows(name, blob) {
			return []Candidate{{Path: name, Blob: blob, Trust: Far}}, nil
		}
	}
	return nil, nil
}

// operands returns the path's contents in the commits from which git may have taken some of its lines. For example:
// somebody merges a branch, and the file has lines of both sides.
func operands(q *Query) ([]Candidate, error) {
	if !q.Work.Restored {
		return nil, nil
	}
	made, err := q.byHand()
	if err != nil {
		return nil, err
	}
	names := q.names()
	var out []Candidate
	for _, from := range q.operands() {
		typed := q.Work.MadeByHand(from.Commit, q.Commit)
		// Git brought the commit's content, which is older than the last seen one.
		popped := from.Role == gitfacts.RoleStash && !from.Perhaps && !from.Unlooked
		for _, name := range names {
			blob, err := q.Git.Blob(from.Commit, name)
			if err != nil {
				return nil, err
			}
			known := q.knows(name, blob)
			vouched := from.Commit != q.Commit && known // another commit shows its owners
			if blob.IsZero() || (typed || made[blob] && !popped) && !vouched || from.Unlooked && !known {
				continue
			}
			trust, err := q.trustOf(from, name, blob)
			if err != nil {
				return nil, err
			}
			out = append(out, Candidate{Path: name, Blob: blob, Trust: trust})
			break
		}
	}
	return out, nil
}

// trustOf returns the trust in an operand's content. It is faint if HEAD has another file at the operand's name, or if
// a stash that was not applied holds the content. For example: git stash pop shows a conflict, the stash stays, and a
// person takes none of its lines.
func (q *Query) trustOf(from gitfacts.Operand, name string, blob refs.OID) (Trust, error) {
	if two, err := q.twoFiles(name); err != nil || two {
		return Faint, err
	}
	if !from.Perhaps {
		return Far, nil
	}
	if applied, err := q.applied(from.Commit, name, blob); err != nil || !applied {
		return Faint, err
	}
	return Far, nil
}

// twoFiles reports whether HEAD has files at the path and at another name, although the file was once renamed from one
// to the other. Then git did not make the file from another commit's content at the other name. For example: a person
// runs git mv a.txt b.txt, and an agent commits a new a.txt.
func (q *Query) twoFiles(other string) (bool, error) {
	if other == q.Path {
		return false, nil
	}
	for _, name := range []string{q.Path, other} {
		if blob, err := q.Git.Blob(q.base(), name); err != nil || blob.IsZero() {
			return false, err
		}
	}
	return true, nil
}

// `applied` reports whether all lines that a commit brought to a file are among the new ones. A stash is applied as a
// whole, or not at all. For example: a stash brought two lines, and the file now has only one of them. Then somebody
// typed that line.
func (q *Query) applied(commit refs.OID, path string, blob refs.OID) (bool, error) {
	c, err := q.Git.Commit(commit)
	if err != nil {
		return false, err
	}
	var base Text
	if len(c.Parents) > 0 {
		was, err := q.Git.Blob(c.Parents[0], path)
		if err == nil {
			base, err = q.Text(was)
		}
		if err != nil {
			return false, err
		}
	}
	brought, err := q.Text(blob)
	if err != nil || brought.Whole || base.Whole {
		return false, err
	}
	kept := make([]bool, len(brought.Lines))
	for _, from := range linediff.Lineage(brought.Lines, q.New.Lines) {
		if from >= 0 {
			kept[from] = true
		}
	}
	for i, from := range linediff.Lineage(base.Lines, brought.Lines) {
		if from < 0 && !kept[i] {
			return false, nil
		}
	}
	return true, nil
}

// `carried` finds an older commit's content of a file, if the new commit replaced it. It searches under the file's name
// in the new commit or in its parent. If neither has the file, it asks git for the name: main may have renamed the
// file. For example: an agent's commit is rebased onto a main that renamed a.txt to b.txt. The lines of b.txt that the
// commit adds are the agent's.
func carried(q *Query) ([]Candidate, error) {
	if q.Replaced.IsZero() {
		return nil, nil
	}
	var out []Candidate
	for _, path := range slices.Compact([]string{q.Path, q.OldPath}) {
		out = append(out, q.replaced(path)...)
	}
	if len(out) == 0 {
		if old, found := q.Renamed()[q.Path]; found {
			out = q.replaced(old)
		}
	}
	return out, nil
}

// `replaced` returns the older commit's content at a path, if it can be read. It skips a content that nobody saw, if
// other contents were seen when the commit was made. The source of that content is better evidence, and may be the last
// seen content. For example: an agent writes a file, and a person adds a line and commits before the next look. The
// agent's content is better evidence than the commit.
func (q *Query) replaced(path string) (out []Candidate) {
	blob, err := q.Git.Blob(q.Replaced, path)
	if err != nil || blob.IsZero() {
		return nil
	}
	if !q.knows(path, blob) {
		if made, found := q.MadeOf(q.Replaced, path); found {
			return []Candidate{made}
		}
		if older, found := q.UnderOlderName(q.Replaced, path); found {
			out = append(out, older)
		}
		if c, err := q.Git.Commit(q.Replaced); err == nil && len(c.Parents) > 0 {
			if was, err := q.Git.Blob(c.Parents[0], path); err == nil && q.knows(path, was) {
				return out
			}
		}
	}
	return append(out, Candidate{Path: path, Blob: blob, Trust: Far})
}

// maxFruitless limits the number of contents without a known commit before the search ends: a build may write thousands
// of files.
const maxFruitless = 8

// `brought` finds a commit on any ref with exactly this content at this path. `git checkout REV -- PATH` and `git
// restore --source REV` write to the work tree, and record REV nowhere. Commits that were found for other paths come
// first: one command brings many files. For example: an agent wrote a file on another branch, and a person runs git
// checkout other -- file. The lines are the agent's.
func brought(q *Query) ([]Candidate, error) {
	w, blob := q.Work, q.New.OID
	made, err := q.byHand()
	if err != nil || w.Doubtful || made[blob] || tracedTo(q.found, blob) {
		return nil, err
	}
	has := func(commit refs.OID) bool {
		oid, err := q.Git.Blob(commit, q.Path)
		return err == nil && oid == blob
	}
	if !slices.ContainsFunc(w.brought, has) {
		if w.fruitless == maxFruitless || !q.Stored(blob) { // a content that no commit has was typed
			return nil, nil
		}
		list := w.Foreign(q.Commit)
		i := slices.IndexFunc(list, has)
		if i < 0 {
			w.fruitless++
			return nil, nil
		}
		w.brought = append(w.brought, list[i])
	}
	return []Candidate{{Path: q.Path, Blob: blob, Trust: Far}}, nil
}

// tracedTo reports whether a candidate of kind Traced has exactly this content.
func tracedTo(list []Candidate, blob refs.OID) bool {
	return slices.ContainsFunc(list, func(c Candidate) bool { return c.Kind == Traced && c.Blob == blob })
}

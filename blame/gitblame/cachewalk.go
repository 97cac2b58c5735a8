package gitblame

import (
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// maxWalk is the number of commits that are read here before git is asked.
const maxWalk = 32

// untouched walks from the commit in question to its ancestors, and returns the first kept answer. It continues while
// each commit has one parent with the same blob: git would hand the whole file on to that parent. It reads only loose
// objects, as new commits are; for others git is quicker.
func (q *inquiry) untouched(k *kept) *answer {
	w := walker{repo: q.repo, path: q.names()}
	if len(k.bases()) == 0 {
		return nil
	}
	at, ok := w.look(q.commit)
	if !ok || at.blob.IsZero() || q.pending && at.blob != q.blob {
		return nil
	}
	for range maxWalk {
		if len(at.parents) != 1 {
			return nil
		}
		commit := at.parents[0]
		if a := k.find(commit, func(a *answer) bool { return !a.pending && a.content == at.blob }); a != nil {
			return a
		}
		before, ok := w.look(commit)
		if !ok || before.blob != at.blob {
			return nil
		}
		at = before
	}
	return nil
}

// names returns the parts of the path.
func (q *inquiry) names() []string { return strings.Split(q.path, "/") }

// walker reads a path in commit after commit.
type walker struct {
	repo *refs.Repo
	path []string
	// trees are the trees on the path in the previous commit, and blob is the blob there: if a tree is equal, everything
	// below it is equal.
	trees []refs.OID
	blob  refs.OID
}

// place is the entry of a commit at the path.
type place struct {
	parents []refs.OID
	blob    refs.OID // zero unless it is a regular file
}

// look reads one commit; false if an object is not loose.
func (w *walker) look(commit refs.OID) (place, bool) {
	typ, raw, err := refs.ReadLoose(w.repo.MainObjects(), commit)
	if err != nil || typ != refs.CommitObject {
		return place{}, false
	}
	c, err := refs.DecodeCommit(raw)
	if err != nil {
		return place{}, false
	}
	tree := c.Tree
	for depth, name := range w.path {
		if depth < len(w.trees) && w.trees[depth] == tree {
			return place{c.Parents, w.blob}, true
		}
		w.trees = append(w.trees[:depth], tree)
		entry, ok := w.entry(tree, name)
		if !ok {
			return place{}, false
		}
		last := depth == len(w.path)-1
		if !last && entry.IsDir() {
			tree = entry.OID
			continue
		}
		w.blob = refs.OID{}
		if last && (entry.Mode == refs.ModeFile || entry.Mode == refs.ModeExec) {
			w.blob = entry.OID
		}
		break
	}
	return place{c.Parents, w.blob}, true
}

// entry finds a name in a tree; the zero entry if it is not there.
func (w *walker) entry(tree refs.OID, name string) (refs.TreeEntry, bool) {
	typ, raw, err := refs.ReadLoose(w.repo.MainObjects(), tree)
	if err != nil || typ != refs.TreeObject {
		return refs.TreeEntry{}, false
	}
	entries, err := refs.DecodeTree(w.repo.Format, raw)
	if err != nil {
		return refs.TreeEntry{}, false
	}
	for _, e := range entries {
		if e.Name == name {
			return e, true
		}
	}
	return refs.TreeEntry{}, true
}

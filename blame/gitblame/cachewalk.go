package gitblame

import (
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// maxWalk is the number of commits that are read here before git is called.
const maxWalk = 32

// `untouched` walks from the commit in question to its ancestors, and returns the first stored answer. It continues
// only while each commit has a single parent with the same blob: git would credit the whole file to that parent. It
// reads only loose objects, as new commits are; for packed ones git is faster.
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

// `names` returns the components of the path.
func (q *inquiry) names() []string { return strings.Split(q.path, "/") }

// walker reads a path in one commit after another.
type walker struct {
	repo *refs.Repo
	path []string
	// trees holds the ids of the trees along the path in the previous commit, and blob the blob there. If a tree is equal,
	// everything below it is equal too.
	trees []refs.OID
	blob  refs.OID
}

// place is the entry of a path in a commit.
type place struct {
	parents []refs.OID
	blob    refs.OID // zero if it is not a regular file
}

// look reads one commit. It returns false if an object is not loose.
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

// entry finds a name in a tree. It returns the zero entry if the name is missing.
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

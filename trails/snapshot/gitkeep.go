package snapshot

import "github.com/git-trace/git-trace/refs"

// keepChanges puts the new contents of a snapshot of the git method into the side store. Git leaves out contents
// that the repository has already, even if only the index or a stash has them. Git may prune them later, and the
// next snapshot could not be compared. If there are more than a person or a tool writes, they came from git itself.
func (e *Engine) keepChanges(snap Snapshot) {
	if len(snap.Changes) == 0 || len(snap.Changes) > maxTrusted {
		return
	}
	objects := e.repo.Objects()
	objects.Max = keepLimit
	defer func() { _ = objects.Close() }()
	dirs := map[string]bool{"": true}
	for _, c := range snap.Changes {
		if c.NewMode != 0 && c.NewMode != refs.ModeGitlink {
			_ = e.keepBy(objects, c.Path, Entry{c.NewMode, c.New}) // as far as it can be done
		}
		for dir := parentPath(c.Path); dir != ""; dir = parentPath(dir) {
			dirs[dir] = true
		}
	}
	e.keepTree(objects, snap.Tree, "", dirs)
}

// keepTree keeps a tree and its subtrees that are among dirs.
func (e *Engine) keepTree(objects *refs.Objects, tree refs.OID, path string, dirs map[string]bool) {
	if !dirs[path] {
		return
	}
	typ, raw, err := objects.Read(tree)
	if err != nil || typ != refs.TreeObject {
		return
	}
	if _, err := e.repo.WriteLoose(e.repo.SideObjects(), refs.TreeObject, raw); err != nil {
		return
	}
	entries, err := refs.DecodeTree(e.repo.Format, raw)
	if err != nil {
		return
	}
	for _, x := range entries {
		if x.IsDir() {
			e.keepTree(objects, x.OID, join(path, x.Name), dirs)
		}
	}
}

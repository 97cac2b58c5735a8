package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// runOwn takes a snapshot by git-trace's own method. If paths is nil, it takes one of everything.
func (e *Engine) runOwn(ctx context.Context, paths []string) (Snapshot, error) {
	tree, err := openWorkTree(e.repo.WorkTree)
	if err != nil {
		return Snapshot{}, err
	}
	defer tree.close()
	s, err := e.newScan(ctx, tree)
	if err != nil {
		return Snapshot{}, err
	}
	defer s.close()
	last := e.meta.Tree
	if paths == nil {
		s.listen()
	}
	switch {
	case e.root == nil || e.meta.Reseed && paths == nil:
		return e.seed(s, last)
	case paths != nil:
		return s.scoped(paths)
	}
	if err := s.update(); err != nil {
		return Snapshot{}, err
	}
	if s.indexChanged || s.attrTouched || e.meta.AttrStale {
		if err := s.missingAttributes(); err != nil {
			return Snapshot{}, err
		}
	}
	if s.attrTouched || e.meta.AttrStale {
		before := e.meta.AttrSum
		s.attributes()
		if e.meta.AttrSum != before {
			again, err := e.newScan(ctx, tree)
			if err != nil {
				return Snapshot{}, err
			}
			defer again.close()
			return e.seed(again, last)
		}
	}
	snap, err := s.done()
	snap.Changes = s.unheard(s.changes())
	return snap, err
}

// update brings the directories up to date with the disk and the index.
func (s *scan) update() error {
	root := s.e.root
	look := func() error { return s.statTree(root) }
	if s.named != nil {
		look = s.statNamed
	}
	if err := look(); err != nil {
		return err
	}
	if s.indexChanged {
		if err := s.syncIndex(); err != nil {
			return err
		}
	}
	if s.e.meta.Rejudge {
		s.workOf(root).judge = true
	}
	if err := s.walk([]*dir{root}); err != nil {
		return err
	}
	return s.enter()
}

// seed takes a snapshot without a previous state. If there was a last tree, git finds the changes since then.
func (e *Engine) seed(s *scan, last refs.OID) (Snapshot, error) {
	if err := refs.MakeDirs(e.repo.SideObjects(), 0o777); err != nil { // needed even if git already has every object
		return Snapshot{}, err
	}
	e.root = &dir{}
	idx, err := s.index()
	if err != nil {
		return Snapshot{}, err
	}
	s.stored = idx.storedTrees(e.repo.Format)
	if err := s.walk([]*dir{e.root}); err != nil {
		return Snapshot{}, err
	}
	if err := s.missingAttributes(); err != nil {
		return Snapshot{}, err
	}
	s.attributes()
	s.keepStaged()
	snap, err := s.done()
	if err != nil {
		return Snapshot{}, err
	}
	if e.meta.Git != nil {
		e.meta.Git = nil
		_ = os.Remove(e.scratchPath())
	}
	e.meta.Reseed = false
	return e.compare(s.ctx, last, snap)
}

// keepStaged stores contents that the index has and HEAD does not have: when the user unstages them, git may prune
// them.
func (s *scan) keepStaged() {
	tree := s.e.repo.Format.EmptyTree().String()
	if head, _, err := s.e.repo.Head(); err == nil && !head.IsZero() {
		tree = head.String()
	}
	out, err := s.e.repo.Git(s.ctx, nil, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev",
		"--diff-filter=d", tree)
	if err != nil {
		return
	}
	staged, err := ParseRawDiff(string(out))
	if err != nil || len(staged) > maxTrusted {
		return
	}
	for _, c := range staged {
		s.e.keepFromDisk(s.tree, c.Path, c.New)
	}
}

// `done` finishes a full snapshot.
func (s *scan) done() (Snapshot, error) {
	snap, err := s.conclude()
	if err != nil {
		return snap, err
	}
	m := &s.e.meta
	if m.Index != s.stamp || m.Rejudge {
		m.Index, m.Rejudge, s.e.changed = s.stamp, false, true
	}
	return snap, nil
}

// conclude hashes the new files and writes the trees.
func (s *scan) conclude() (Snapshot, error) {
	s.smoothe()
	if err := s.hash(); err != nil {
		return Snapshot{}, err
	}
	s.smoothe()
	tree, err := s.build()
	if err != nil {
		return Snapshot{}, err
	}
	m := &s.e.meta
	if m.Tree != tree {
		m.Tree, s.e.changed = tree, true
	}
	skipped := s.skipped()
	s.noteDoubts()
	for _, d := range s.e.root.known(nil) {
		d.w = nil
	}
	return Snapshot{Tree: tree, Method: MethodOwn, Skipped: skipped}, nil
}

// `skipped` lists the paths that could not be read, in this snapshot or in an earlier one.
func (s *scan) skipped() []string {
	if !s.e.meta.Unread && !s.sawUnread {
		return nil
	}
	var paths []string
	for _, d := range s.e.root.all(nil) {
		if d.flags&dirUnread != 0 {
			paths = append(paths, d.path)
		}
		d.open()
		for i := range d.entries {
			if d.entries[i].flags&flagUnreadable != 0 {
				paths = append(paths, join(d.path, d.entries[i].name))
			}
		}
	}
	s.e.meta.Unread = len(paths) > 0
	return paths
}

// missingAttributes returns an error that selects the git method if a tracked attribute file is missing. Git then uses
// the index's copy for some paths and not for others.
func (s *scan) missingAttributes() error {
	idx, err := s.index()
	if err != nil {
		return err
	}
	for i := range idx.entries {
		path := idx.entries[i].path
		if !strings.HasSuffix(path, attributesFile) || baseName(path) != attributesFile {
			continue
		}
		if d := s.e.root.descend(parentPath(path)); d != nil {
			if j, ok := d.find(attributesFile); !ok || d.entries[j].flags&flagGone != 0 || !d.entries[j].st.isFile() {
				return unsupported(reasonMissing, path, "tracked attribute file is missing")
			}
		}
	}
	return nil
}

// attributes reads all attribute files of the work tree and notes their digest and class.
func (s *scan) attributes() {
	h, all := sha256.New(), classRaw
	for _, d := range s.e.root.all(nil) {
		i, ok := d.find(attributesFile)
		if !ok || d.entries[i].flags&flagGone != 0 {
			continue
		}
		path := join(d.path, attributesFile)
		content, err := s.readRules(path)
		if err != nil {
			continue
		}
		all = max(all, classOf(content))
		_, _ = fmt.Fprintf(h, "%s\x00%d\x00", path, len(content))
		_, _ = h.Write(content)
	}
	m := &s.e.meta
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	if sum != m.AttrSum || all != m.AttrClass || m.AttrStale {
		m.AttrSum, m.AttrClass, m.AttrStale, s.e.changed = sum, all, false, true
	}
}

// build makes the changed trees from the bottom up, and returns the id of the top one.
func (s *scan) build() (refs.OID, error) {
	root := s.e.root
	if err := s.buildDir(root); err != nil {
		return refs.OID{}, fmt.Errorf("build tree: %w", err)
	}
	if err := s.e.writeTrees(s.trees); err != nil {
		return refs.OID{}, err
	}
	if root.tree.IsZero() {
		return s.e.repo.WriteLoose(s.e.repo.SideObjects(), refs.TreeObject, nil)
	}
	return root.tree, nil
}

func (s *scan) buildDir(d *dir) error {
	if d.w == nil || !d.w.dirty {
		return nil
	}
	for _, sub := range d.kids() {
		if err := s.buildDir(sub); err != nil {
			return err
		}
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	s.e.changed = true
	list := d.treeEntries()
	if len(list) == 0 {
		d.tree = refs.OID{}
		return nil
	}
	content := refs.EncodeTree(list)
	d.tree = s.e.repo.Format.Hash(refs.TreeObject, content)
	if _, ok := s.stored[d.tree]; !ok { // before the first snapshot git already has most trees
		s.trees = append(s.trees, content)
	}
	return nil
}

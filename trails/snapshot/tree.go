package snapshot

import (
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

// build makes the trees that changed, from the bottom up, and returns the top's.
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
	if _, ok := s.stored[d.tree]; !ok { // before the first snapshot git has most of the trees
		s.trees = append(s.trees, content)
	}
	return nil
}

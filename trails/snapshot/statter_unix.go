//go:build unix && !(linux && (amd64 || arm64))

package snapshot

// statter calls lstat repeatedly; see the Linux version.
type statter struct {
	tree *workTree
}

func newStatter(tree *workTree) *statter { return &statter{tree: tree} }

// lstat returns the stat data of DIR/NAME. An empty name means the directory itself.
func (s *statter) lstat(dir, name string) (fileStat, error) {
	if name == "" {
		return s.tree.lstat(dir)
	}
	return s.tree.lstat(join(dir, name))
}

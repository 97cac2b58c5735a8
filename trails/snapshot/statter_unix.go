//go:build unix && !(linux && (amd64 || arm64))

package snapshot

// statter calls lstat over and over; see the Linux one.
type statter struct {
	tree *workTree
}

func newStatter(tree *workTree) *statter { return &statter{tree: tree} }

// lstat is for DIR/NAME; an empty name means the directory itself.
func (s *statter) lstat(dir, name string) (fileStat, error) {
	if name == "" {
		return s.tree.lstat(dir)
	}
	return s.tree.lstat(join(dir, name))
}

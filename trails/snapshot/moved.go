package snapshot

// Moved tells whether the file that is now at a path is the very one that another path had at the last snapshot, and
// that has another one now: a rename keeps the inode and the time of the last change of the content, and neither a copy
// nor a file that git wrote has both. Where nothing is kept of inodes, no file was moved.
func (e *Engine) Moved(from, to string) bool {
	if e.remote || e.meta.Git != nil || e.root == nil {
		return false
	}
	d := e.root.descend(parentPath(from))
	if d == nil {
		return false
	}
	i, found := d.find(baseName(from))
	if !found || !d.entries[i].st.isFile() {
		return false
	}
	tree, err := openWorkTree(e.repo.WorkTree)
	if err != nil {
		return false
	}
	defer tree.close()
	was := d.entries[i].st
	now, err := tree.lstat(to)
	if err != nil || was.ino == 0 || !now.isFile() || now.ino != was.ino || now.mtime != was.mtime ||
		now.size != was.size {
		return false
	}
	left, err := tree.lstat(from)
	return isGone(err) || err == nil && left.ino != was.ino // else they are two names of one file
}

package snapshot

// Moved reports whether a file was moved from one path to the other since the last snapshot. The new path must have the
// inode and content time that the old path had, and the old path must now be missing or be another file. A rename keeps
// both values; a copy, or a file that git wrote, has at least one new value. If inodes are not known, no file counts as
// moved.
func (e *Engine) Moved(from, to string) bool {
	if e.remote || e.meta.Git != nil || e.root == nil {
		return false
	}
	was := e.entryAt(from).st
	if !was.isFile() {
		return false
	}
	tree, err := openWorkTree(e.repo.WorkTree)
	if err != nil {
		return false
	}
	defer tree.close()
	now, err := tree.lstat(to)
	if err != nil || was.ino == 0 || !now.isFile() || now.ino != was.ino || now.mtime != was.mtime ||
		now.size != was.size {
		return false
	}
	left, err := tree.lstat(from)
	return isGone(err) || err == nil && left.ino != was.ino // otherwise both paths name one file
}

// LeftAlone reports whether git has not written a file since the last snapshot. Git's index has the time of the last
// change that git knows, and git updates it with each write. LeftAlone returns true if somebody changed the file after
// that time and before the snapshot. False proves nothing: `git add` and `git commit -a` also store the time of a
// person's change.
func (e *Engine) LeftAlone(path string) bool {
	if e.remote || e.meta.Git != nil || e.root == nil {
		return false
	}
	was := e.entryAt(path).st
	if !was.isFile() || was.ctime == 0 {
		return false
	}
	idx, err := readIndex(e.userIndex(), e.repo.Format)
	if err != nil {
		return false
	}
	entry := idx.find(path)
	if entry == nil || entry.stage != 0 || entry.ctimeSec == 0 {
		return false
	}
	sec, nano := int64(entry.ctimeSec), int64(entry.ctimeNano)
	return sec < was.ctime/1e9 || sec == was.ctime/1e9 && nano != 0 && nano < was.ctime%1e9
}

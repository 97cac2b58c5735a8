package snapshot

// Moved reports whether a file was moved from one path to the other since the last snapshot: the new path has the same
// inode and content time as the old path had, and the old path now has another file or none. A rename keeps both; a
// copy, or a file that git wrote, does not have both. Without known inodes, no file counts as moved.
func (e *Engine) Moved(from, to string) bool {
	if e.remote || e.meta.Git != nil || e.root == nil {
		return false
	}
	was := e.statOf(from)
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
	return isGone(err) || err == nil && left.ino != was.ino // else they are two names of one file
}

// LeftAlone reports whether git has not written a file since the last snapshot. git's index has the time of the last
// change that git knows, and each write of git updates it. Here somebody changed the file after that time, before the
// snapshot. False is not evidence: `git add` and `git commit -a` also update the time of a person's change.
func (e *Engine) LeftAlone(path string) bool {
	if e.remote || e.meta.Git != nil || e.root == nil {
		return false
	}
	was := e.statOf(path)
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

// statOf returns the stat of a path at the last snapshot; nothing if it was not there.
func (e *Engine) statOf(path string) fileStat {
	if d := e.root.descend(parentPath(path)); d != nil {
		if i, found := d.find(baseName(path)); found {
			return d.entries[i].st
		}
	}
	return fileStat{}
}

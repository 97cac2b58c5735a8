package snapshot

import "time"

// Slack is the longest delay between the clock and a time stamp of the file system.
const Slack = time.Duration(fineSlack)

// Stamp returns the time of a path's last change, by the clock of the file system, if it is known.
func Stamp(path string) (at time.Time, known bool) {
	st, err := statTarget(path)
	return time.Unix(0, st.ctime), err == nil && st.ctime != 0
}

// Before splits the changes of snapshots into those from before a moment, and the others. It compares the change times
// of the files and of the directories above them. Programs cannot set change times back, and a moved file or directory
// gets a new one. The moment is a time of the same clock. If a later snapshot finds a change at such a path, that
// change was made later. Without usable time stamps, all changes count as later.
func Before(workTree string, changes []Change, moment time.Time) (before, after []Change) {
	if remoteFileSystem(workTree) {
		return nil, changes
	}
	tree, err := openWorkTree(workTree)
	if err != nil {
		return nil, changes
	}
	defer tree.close()
	b := beforeMoment{tree: tree, moment: moment.UnixNano(), dirs: map[string]bool{"": true}}
	for _, c := range changes {
		if b.path(c) {
			before = append(before, c)
		} else {
			after = append(after, c)
		}
	}
	return before, after
}

// beforeMoment reads the time stamps of paths and caches the results for directories.
type beforeMoment struct {
	tree   *workTree
	moment int64           // nanoseconds since 1970
	dirs   map[string]bool // whether a directory has not moved or changed since the moment
}

func (b *beforeMoment) path(c Change) bool {
	st, err := b.tree.lstat(c.Path)
	if isGone(err) && c.New.IsZero() {
		return b.gone(parentPath(c.Path))
	}
	return err == nil && !st.isDir() && !c.New.IsZero() && !st.racy(b.moment, 0) && b.dir(parentPath(c.Path))
}

// `gone` reports whether a path that is missing now was already missing before the moment. It checks the directory of
// the path, or if that is missing too, the directory above.
func (b *beforeMoment) gone(dir string) bool {
	st, err := b.tree.lstat(dir)
	if isGone(err) && dir != "" {
		return b.gone(parentPath(dir))
	}
	return err == nil && !st.racy(b.moment, 0) && b.dir(dir)
}

// dir reports whether a directory is unchanged since the moment: the directory and all directories above it have not
// moved or changed. The work tree itself always counts as unmoved.
func (b *beforeMoment) dir(path string) bool {
	known, found := b.dirs[path]
	if !found {
		st, err := b.tree.lstat(path)
		known = err == nil && st.isDir() && !st.racy(b.moment, 0) && b.dir(parentPath(path))
		b.dirs[path] = known
	}
	return known
}

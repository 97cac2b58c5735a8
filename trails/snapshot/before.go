package snapshot

import "time"

// Slack is the most that a time stamp of the file system may lag behind the clock.
const Slack = time.Duration(fineSlack)

// Stamp returns the time at which a path changed last by the clock that stamps files, if it is known.
func Stamp(path string) (at time.Time, known bool) {
	st, err := statTarget(path)
	return time.Unix(0, st.ctime), err == nil && st.ctime != 0
}

// Before splits the changes of snapshots into those made before a moment, and the others. It goes by the change
// times of the files and of the directories on the way to them. No program can set those back, and a file or a
// directory that is moved gets a new one. The moment is one of the clock that stamps files. If a later snapshot
// finds a change at such a path, it was made later. If time stamps are of no use, all changes count as later.
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

// beforeMoment asks for the time stamps of paths.
type beforeMoment struct {
	tree   *workTree
	moment int64           // nanoseconds since 1970
	dirs   map[string]bool // whether a directory has been where it is, with what is in it, since before the moment
}

func (b *beforeMoment) path(c Change) bool {
	st, err := b.tree.lstat(c.Path)
	if isGone(err) && c.New.IsZero() {
		return b.gone(parentPath(c.Path))
	}
	return err == nil && !st.isDir() && !c.New.IsZero() && !st.racy(b.moment, 0) && b.dir(parentPath(c.Path))
}

// gone does the same for a path that is gone, by its directory. If that is gone too, it uses the directory above.
func (b *beforeMoment) gone(dir string) bool {
	st, err := b.tree.lstat(dir)
	if isGone(err) && dir != "" {
		return b.gone(parentPath(dir))
	}
	return err == nil && !st.racy(b.moment, 0) && b.dir(dir)
}

// dir reports whether a directory came to its place before the moment, and those above it. The work tree itself is
// where it is.
func (b *beforeMoment) dir(path string) bool {
	known, found := b.dirs[path]
	if !found {
		st, err := b.tree.lstat(path)
		known = err == nil && st.isDir() && !st.racy(b.moment, 0) && b.dir(parentPath(path))
		b.dirs[path] = known
	}
	return known
}

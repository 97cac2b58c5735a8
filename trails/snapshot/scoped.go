package snapshot

import (
	"errors"
	"strings"
)

// `scoped` takes a snapshot that reads only the given paths.
func (s *scan) scoped(paths []string) (Snapshot, error) {
	var asked []string
	for _, path := range paths {
		path, ok := cleanPath(path)
		if !ok {
			continue
		}
		if err := s.ctx.Err(); err != nil {
			return Snapshot{}, err
		}
		if err := s.look(path); err != nil {
			return Snapshot{}, err
		}
		asked = append(asked, path)
	}
	snap, err := s.conclude()
	if err != nil {
		return snap, err
	}
	snap.Changes = s.unheard(s.changes())
	for _, path := range asked {
		if entry, ok := s.e.Lookup(path); ok {
			_ = s.e.keep(path, entry) // an error does not matter: then a reader gets the content from git
		}
	}
	return snap, nil
}

// look updates one path from the disk.
func (s *scan) look(path string) error {
	d, missing, err := s.approach(path)
	if err != nil {
		return s.outOfReach(path, err)
	}
	name := baseName(path)
	st, err := s.tree.lstat(path)
	switch {
	case d == nil || err != nil && isGone(err):
		s.forget(path)
		return nil
	case err == nil && st.isDir():
		return s.lookDir(d, missing, name)
	case err == nil && !st.isFile() && !st.isLink():
		return s.lookSpecial(d, missing, path)
	case len(missing) > 0:
		return s.lookNew(d, missing, name, st)
	}
	if sub := d.sub(name); sub != nil {
		s.dropDir(sub)
	}
	i, ok := d.find(name)
	if !ok {
		return s.lookNew(d, nil, name, st)
	}
	s.touch(d)
	s.noteRules(d, path)
	e := &d.entries[i]
	if err != nil || e.st != st || e.flags&flagRacy != 0 {
		if err := s.apply(d, finding{i: i, st: st, err: err, set: true}); err != nil {
			return err
		}
	}
	if e.flags&(flagTracked|flagUnreadable) != 0 {
		return nil
	}
	return s.judgeAgain(d, name, st.kind())
}

// lookSpecial handles a path at which there is now a FIFO or another special file.
func (s *scan) lookSpecial(d *dir, missing []string, path string) error {
	s.forget(path)
	d.st = fileStat{}
	tracked, err := s.isTracked(path)
	if err != nil || !tracked || len(missing) > 0 {
		return err
	}
	s.touch(d)
	return s.include(d, baseName(path))
}

// outOfReach handles a path below a directory that may not be searched. It returns an
// unsupportedError unchanged: git then takes the snapshot. For any other error the path counts as unreadable.
func (s *scan) outOfReach(path string, err error) error {
	var no *unsupportedError
	if errors.As(err, &no) {
		return err
	}
	d := s.e.root.descend(parentPath(path))
	if d == nil {
		return nil
	}
	if i, ok := d.find(baseName(path)); ok {
		s.touch(d)
		return s.apply(d, finding{i: i, err: err, set: true})
	}
	return nil
}

// approach finds the nearest known directory above a path, and the names of the directories from it to the path. If one
// of these is missing on disk, the path is missing too, and no directory is returned.
func (s *scan) approach(path string) (*dir, []string, error) {
	d := s.e.root
	var missing []string
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		prefix := path[:i]
		name := baseName(prefix)
		if st, err := s.tree.lstat(prefix); err != nil && !isGone(err) {
			return nil, nil, err
		} else if err != nil || !st.isDir() {
			return nil, nil, nil //nolint:nilerr // nothing is at the path
		}
		if name == ".git" || OddName(name) {
			return nil, nil, unsupported(reasonPath, prefix, "name that git may refuse")
		}
		if len(missing) == 0 {
			if sub := d.sub(name); sub != nil {
				d = sub
				continue
			}
		}
		missing = append(missing, name)
	}
	if name := baseName(path); OddName(name) || name == ".gitmodules" {
		if st, err := s.tree.lstat(path); err == nil && (st.isLink() || OddName(name)) {
			return nil, nil, unsupported(reasonPath, path, "name that git may refuse")
		}
	}
	return d, missing, nil
}

// forget removes a path and its descendants from the tree.
func (s *scan) forget(path string) {
	d := s.e.root.descend(parentPath(path))
	if d == nil {
		return
	}
	name := baseName(path)
	if i, ok := d.find(name); ok && d.entries[i].flags&flagGone == 0 {
		s.dropEntry(d, &d.entries[i])
		s.noteRules(d, path)
	}
	if sub := d.sub(name); sub != nil {
		s.dropDir(sub)
	}
}

// noteRules notes, for the next full snapshot, that ignore or attribute rules may have changed.
func (s *scan) noteRules(d *dir, path string) {
	switch baseName(path) {
	case ignoreFile:
		if s.rulesOf(d) != d.rules {
			d.flags |= dirStale
			s.e.changed = true
		}
	case attributesFile:
		s.e.meta.AttrStale, s.e.changed = true, true
		if content, err := s.readRules(path); err == nil {
			s.e.meta.AttrClass = max(s.e.meta.AttrClass, classOf(content))
		}
	}
}

// lookNew adds an unknown file and its unknown directories, unless it is ignored.
func (s *scan) lookNew(d *dir, missing []string, name string, st fileStat) error {
	path := join(join(d.path, strings.Join(missing, "/")), name)
	tracked, err := s.isTracked(path)
	if err != nil {
		return err
	}
	first, kind := name, st.kind()
	if len(missing) > 0 {
		first, kind = missing[0], kindDir
	}
	if i, ok := d.findOther(first); ok && !tracked && d.others[i].kind == kind && !s.rulesChanged(d) {
		return nil // known to be ignored
	}
	if !tracked {
		ignored, err := s.asker.ask(s.ctx, []string{path})
		if err != nil {
			return err
		}
		if ignored[0] != included {
			if len(missing) == 0 {
				s.leaveOut(query{d, name, st.kind()})
				s.e.changed = true
			}
			return nil
		}
	}
	if d, err = s.openDirs(d, missing); err != nil {
		return err
	}
	s.touch(d)
	if err := s.include(d, name); err != nil {
		return err
	}
	s.noteRules(d, path)
	return nil
}

// isTracked reports whether the user's index has a path.
func (s *scan) isTracked(path string) (bool, error) {
	idx, err := s.index()
	if err != nil {
		return false, err
	}
	if idx.find(path) != nil {
		return true, nil
	}
	if s.e.meta.Settings.IgnoreCase && idx.hasFolded(path) {
		return false, unsupported(reasonPath, path, "tracked in another case (core.ignoreCase)")
	}
	return false, nil
}

// judgeAgain asks whether an untracked file is ignored now, if rules above it changed.
func (s *scan) judgeAgain(d *dir, name string, kind nameKind) error {
	if s.indexChanged {
		tracked, err := s.isTracked(join(d.path, name))
		if err != nil || tracked {
			return err
		}
	}
	if !s.rulesChanged(d) {
		return nil
	}
	s.queries = append(s.queries, query{d, name, kind})
	return s.judge()
}

// rulesChanged reports whether the ignore rules of a directory have changed since its names were checked.
func (s *scan) rulesChanged(d *dir) bool {
	changed := s.e.meta.Rejudge
	for ; d != nil; d = d.parent {
		if s.rulesOf(d) != d.rules {
			d.flags |= dirStale
			changed, s.e.changed = true, true
		}
	}
	return changed
}

// cleanPath returns the canonical form of a path relative to the top. It returns false for a path outside of the work
// tree, or in its git directory.
func cleanPath(path string) (string, bool) {
	if strings.ContainsRune(path, 0) || strings.HasPrefix(path, "/") {
		return "", false
	}
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			return "", false
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 || parts[0] == ".git" {
		return "", false
	}
	return strings.Join(parts, "/"), true
}

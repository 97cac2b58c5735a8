package snapshot

import "strings"

// syncIndex updates the entries after a change of the user's index. A tracked path stays in the tree even if it is
// ignored. A path whose index entry was removed must be checked by the ignore rules. If the stat data in the index
// match the file, syncIndex also takes the id from the index, as `git add` does. Otherwise the file is hashed.
func (s *scan) syncIndex() error {
	idx, err := s.index()
	if err != nil {
		return err
	}
	var d *dir
	last, parent := "", "\x00"
	for i := range idx.entries {
		ie := &idx.entries[i]
		path := ie.path
		if path == last {
			continue
		}
		if last = path; ie.stage != 0 {
			ie = idx.find(path)
		}
		if p := parentPath(path); p != parent {
			parent = p
			if d = s.e.root.descend(p); d == nil {
				s.adopt(p)
			}
		}
		if d == nil {
			continue
		}
		name := baseName(path)
		if j, ok := d.find(name); ok {
			s.reconcile(d, &d.entries[j], ie, idx.mtimeSec)
		} else if j, ok := d.findOther(name); ok && d.others[j].kind != kindDir {
			s.entered = append(s.entered, query{d, name, kindFile})
		}
	}
	s.untrack()
	s.e.changed = true
	return nil
}

// adopt finds the ignored directory above a tracked path, and adds it for its tracked paths.
func (s *scan) adopt(path string) {
	d := s.e.root
	for name := range strings.SplitSeq(path, "/") {
		sub := d.sub(name)
		if sub != nil {
			d = sub
			continue
		}
		if i, ok := d.findOther(name); ok && d.others[i].kind == kindDir {
			s.addDir(d, name, true)
		}
		return
	}
}

// reconcile updates one entry from the index.
func (s *scan) reconcile(d *dir, e *entry, ie *indexEntry, indexSec int64) {
	e.flags |= flagTracked | flagSeen
	switch {
	case e.flags&flagWatch != 0:
		e.flags = e.flags&^flagWatch | flagTodo
		s.touch(d)
		return
	case e.flags&flagUnreadable != 0:
		if ie.flags&intentToAdd == 0 {
			s.set(d, e, ie.mode, ie.oid)
		}
		return
	case ie.matches(e.st, indexSec):
		if e.oid != ie.oid || e.flags&flagByGit != 0 {
			e.flags = e.flags&^flagByGit | flagFromIndex
		}
		s.set(d, e, s.modeOf(e.st, ie), ie.oid)
		return
	case e.flags&(flagFromIndex|flagByGit) != 0:
		e.flags |= flagTodo
		s.touch(d)
	}
	s.set(d, e, s.modeOf(e.st, ie), e.oid)
}

// untrack handles the entries that are no longer in the index.
func (s *scan) untrack() {
	for _, d := range s.e.root.all(nil) {
		d.open()
		for i := range d.entries {
			e := &d.entries[i]
			if e.flags&(flagTracked|flagSeen) == flagTracked {
				e.flags = e.flags&^flagTracked | flagTodo
				s.touch(d)
				d.w.left = append(d.w.left, e.name)
			}
			e.flags &^= flagSeen
		}
	}
}

// enter adds names that were ignored and are tracked now.
func (s *scan) enter() error {
	for _, q := range s.entered {
		if i, ok := q.d.find(q.name); ok && q.d.entries[i].flags&flagGone == 0 {
			continue
		}
		s.touch(q.d)
		if err := s.include(q.d, q.name); err != nil {
			return err
		}
	}
	s.entered = nil
	return nil
}

// modeOf returns the mode that git gives a file or link. It comes from the disk, or from the index if the file system
// has no executable bit (core.fileMode).
func (s *scan) modeOf(st fileStat, ie *indexEntry) uint32 {
	const file, exec, link = 0o100644, 0o100755, 0o120000
	switch {
	case st.isLink():
		return link
	case s.e.meta.Settings.FileMode:
		if st.mode&0o100 != 0 {
			return exec
		}
	case ie != nil && ie.mode&typeMask == typeFile && ie.mode&0o100 != 0:
		return exec
	}
	return file
}

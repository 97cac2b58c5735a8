package snapshot

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// query is a name for the question whether git ignores it.
type query struct {
	d    *dir
	name string
	kind nameKind
}

// `judge` asks git about the collected names, and adds each name to the tree or to the ignored ones.
func (s *scan) judge() error {
	list := s.queries
	s.queries = nil
	paths := make([]string, len(list))
	for i, q := range list {
		paths[i] = join(q.d.path, q.name)
	}
	verdicts, err := s.asker.ask(s.ctx, paths)
	if err != nil {
		return err
	}
	for i, q := range list {
		if verdicts[i] == unknown {
			q.d.flags |= dirRacy
			continue
		}
		if err := s.settle(q, verdicts[i] == ignored); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) settle(q query, ignored bool) error {
	s.touch(q.d)
	if q.kind == kindDir {
		return s.settleDir(q, ignored)
	}
	i, ok := q.d.find(q.name)
	if !ok || q.d.entries[i].flags&flagGone != 0 {
		if ignored {
			s.leaveOut(q)
			return nil
		}
		return s.include(q.d, q.name)
	}
	e := &q.d.entries[i]
	switch {
	case e.flags&flagTracked != 0:
	case ignored:
		s.dropEntry(q.d, e)
		s.leaveOut(q)
	case e.flags&flagWatch != 0:
		e.flags = e.flags&^flagWatch | flagTodo
	}
	return nil
}

func isRuleFile(q query) bool {
	return q.kind == kindFile && (q.name == ignoreFile || q.name == attributesFile)
}

// leaveOut records an ignored name, so that git is asked about it only once. An ignored file with rules is watched.
func (s *scan) leaveOut(q query) {
	if !isRuleFile(q) {
		q.d.insertOther(dirName{q.name, q.kind})
		return
	}
	if st, err := s.tree.lstat(join(q.d.path, q.name)); err == nil && st.isFile() {
		s.watch(q.d, q.name, st)
	}
}

func (s *scan) watch(d *dir, name string, st fileStat) {
	d.insertEntry(entry{name: name, st: st, flags: flagWatch | s.racyFlag(st)})
	s.attrTouched = s.attrTouched || name == attributesFile
	s.e.changed = true
}

func (s *scan) racyFlag(st fileStat) uint16 {
	if st.racy(s.start, s.slack) {
		return flagRacy
	}
	return 0
}

func (s *scan) settleDir(q query, ignored bool) error {
	path := join(q.d.path, q.name)
	tracked := false
	if ignored {
		idx, err := s.index()
		if err != nil {
			return err
		}
		tracked = idx.hasBelow(path)
	}
	sub := q.d.sub(q.name)
	switch {
	case sub == nil && (!ignored || tracked):
		s.addDir(q.d, q.name, ignored)
	case sub == nil:
		q.d.insertOther(dirName{q.name, kindDir})
	case ignored && !tracked:
		s.dropDir(sub)
		q.d.insertOther(dirName{q.name, kindDir})
	case ignored && sub.flags&dirPartial == 0:
		sub.flags |= dirPartial
		sub.st = fileStat{}
		s.workOf(sub).self = finding{}
	case !ignored && sub.flags&dirPartial != 0:
		sub.flags &^= dirPartial
		s.workOf(sub).judge = true
	}
	return nil
}

// addDir adds a directory. Its content is read on the next level.
func (s *scan) addDir(d *dir, name string, partial bool) *dir {
	sub := &dir{path: join(d.path, name), parent: d}
	if partial {
		sub.flags = dirPartial
	}
	s.leaveOthers(d, name)
	d.insertSub(sub)
	s.e.changed = true
	return sub
}

// include adds a file or link to the tree. It is hashed later.
func (s *scan) include(d *dir, name string) error {
	path := join(d.path, name)
	st, err := s.tree.lstat(path)
	e := entry{name: name, st: st, flags: flagTodo}
	idx, idxErr := s.index()
	if idxErr != nil {
		return idxErr
	}
	if idx.find(path) != nil {
		e.flags |= flagTracked
	}
	switch {
	case err != nil && isGone(err) || err == nil && st.isDir():
		if d.flags&dirPartial == 0 {
			d.flags |= dirRacy // the file changed after the directory was listed
		}
		return nil
	case err != nil || !st.isFile() && !st.isLink():
		if e.flags&flagTracked == 0 && err == nil {
			d.insertOther(dirName{name, kindSpecial})
			return nil
		}
		s.leaveOthers(d, name)
		return s.unreadable(d, d.insertEntry(e))
	}
	s.leaveOthers(d, name)
	d.insertEntry(e)
	s.attrTouched = s.attrTouched || name == attributesFile
	return nil
}

// unreadable gives an entry that cannot be read the content that the user's index has at the path. Git does not change
// the entry of such a file either.
func (s *scan) unreadable(d *dir, e *entry) error {
	s.touch(d)
	e.flags = e.flags&flagTracked | flagUnreadable
	s.e.changed, s.sawUnread = true, true
	var mode uint32
	var oid refs.OID
	if e.flags&flagTracked != 0 {
		idx, err := s.index()
		if err != nil {
			return err
		}
		if ie := idx.find(join(d.path, e.name)); ie != nil && ie.flags&intentToAdd == 0 {
			mode, oid = ie.mode, ie.oid
		}
	}
	s.set(d, e, mode, oid)
	return nil
}

// apply updates a known entry that lstat found changed.
func (s *scan) apply(d *dir, f finding) error {
	e := &d.entries[f.i]
	switch {
	case e.flags&flagGone != 0:
	case f.err == nil && (f.st.isFile() || f.st.isLink()):
		d.w.rules = d.w.rules || e.name == ignoreFile
		s.attrTouched = s.attrTouched || e.name == attributesFile
		s.e.changed = true
		e.st = f.st
		if e.flags&flagWatch == 0 {
			e.flags |= flagTodo
		} else {
			e.flags = flagWatch | s.racyFlag(f.st)
		}
	case f.err == nil || isGone(f.err):
		s.dropEntry(d, e)
		d.w.read = f.err == nil || d.w.read
	default:
		e.st = fileStat{}
		return s.unreadable(d, e)
	}
	return nil
}

// dropEntry marks an entry as removed. It stays in its list until the end of the scan, so that the other entries keep
// their numbers.
func (s *scan) dropEntry(d *dir, e *entry) {
	if e.mode != 0 {
		s.note(join(d.path, e.name), e.mode, e.oid)
		s.markDirty(d)
	}
	w := s.touch(d)
	w.uneven = true
	w.rules = w.rules || e.name == ignoreFile
	s.attrTouched = s.attrTouched || e.name == attributesFile
	e.flags, e.mode = flagGone, 0
	s.e.changed = true
}

// dropDir removes a directory and all its descendants.
func (s *scan) dropDir(d *dir) {
	if d.saved.head != nil {
		s.e.store.dropped = append(s.e.store.dropped, d.path)
	}
	for _, x := range d.all(nil) {
		x.open()
		for i := range x.entries {
			e := &x.entries[i]
			if e.mode != 0 {
				s.note(join(x.path, e.name), e.mode, e.oid)
			}
			s.attrTouched = s.attrTouched || e.name == attributesFile
		}
		x.entries, x.others = nil, nil
	}
	d.subs = nil
	s.e.changed = true
	if d.parent == nil {
		return
	}
	s.markDirty(d.parent)
	if i := slices.Index(d.parent.kids(), d); i >= 0 {
		d.parent.subs = slices.Delete(d.parent.subs, i, i+1)
	}
}

// smoothe deletes the entries that are marked as removed, when no numbers of entries are in use.
func (s *scan) smoothe() {
	for _, d := range s.touched {
		if d.w.uneven {
			d.entries = slices.DeleteFunc(d.entries, func(e entry) bool { return e.flags&flagGone != 0 })
			d.w.uneven = false
		}
	}
}

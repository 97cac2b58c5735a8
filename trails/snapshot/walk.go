package snapshot

import (
	"slices"
	"strings"
)

// Names of the files that contain rules for git.
const (
	ignoreFile     = ".gitignore"
	attributesFile = ".gitattributes"
)

// walk updates directories and their descendants by the findings of statTree. It works level by level, so that one call
// of git checks all new names of a level.
func (s *scan) walk(level []*dir) error {
	for len(level) > 0 {
		for _, d := range level {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if err := s.examine(d); err != nil {
				return err
			}
		}
		if err := s.judge(); err != nil {
			return err
		}
		var next []*dir
		for _, d := range level {
			for _, sub := range d.kids() {
				if d.w != nil && d.w.judge && d.flags&dirPartial == 0 {
					s.workOf(sub).judge = true
				}
				if !s.far(sub) {
					next = append(next, sub)
				}
			}
		}
		level = next
	}
	return nil
}

// examine updates one directory.
func (s *scan) examine(d *dir) error {
	read := !d.st.known() || d.flags&(dirRacy|dirUnread|dirStale) != 0
	partial := d.flags&dirPartial != 0
	if d.w == nil && !read && !(partial && s.indexChanged) {
		return nil
	}
	w := s.touch(d)
	st, err := s.ownStat(d)
	switch {
	case err == nil && st.isDir():
	case err == nil || isGone(err):
		s.dropDir(d)
		return nil
	default:
		return s.unread(d)
	}
	for _, f := range w.found {
		if err := s.apply(d, f); err != nil {
			return err
		}
	}
	w.found = nil
	read = read || w.read || w.self.set || w.judge
	if partial && d.flags&dirUnread == 0 {
		if !read && !s.indexChanged {
			return nil
		}
		return s.readPartial(d, st)
	}
	if read || w.rules {
		if sum := s.rulesOf(d); sum != d.rules {
			d.rules, w.judge, read = sum, true, true
		}
	}
	if read {
		if err := s.read(d, st); err != nil {
			return err
		}
	}
	for _, name := range w.left {
		if i, ok := d.find(name); ok && d.entries[i].flags&flagGone == 0 {
			s.queries = append(s.queries, query{d, name, d.entries[i].st.kind()})
		}
	}
	return nil
}

// ownStat returns the stat data of the directory before it is listed.
func (s *scan) ownStat(d *dir) (fileStat, error) {
	switch {
	case d.w.self.set:
		return d.w.self.st, d.w.self.err
	case d.st.known():
		return d.st, nil
	}
	return s.tree.lstat(d.path)
}

// `read` lists a directory and compares the names with the known ones.
func (s *scan) read(d *dir, st fileStat) error {
	names, err := s.tree.readDir(d.path)
	switch {
	case err != nil && isGone(err):
		s.dropDir(d)
		return nil
	case err != nil:
		return s.unread(d)
	}
	if d.flags&dirUnread != 0 {
		d.w.judge = true
	}
	s.seen(d, st)
	d.flags &^= dirPartial | dirUnread | dirStale
	slices.SortFunc(names, func(a, b dirName) int { return strings.Compare(a.name, b.name) })
	for _, n := range names {
		if err := s.checkName(d, n); err != nil {
			return err
		}
		if d.path == "" && n.name == ".git" {
			continue
		}
		if err := s.consider(d, n); err != nil {
			return err
		}
	}
	s.removeUnlisted(d, names)
	return nil
}

// `seen` records `st` as the stat data with which a directory was listed.
func (s *scan) seen(d *dir, st fileStat) {
	d.st = st
	s.listed = append(s.listed, d.path)
	d.flags &^= dirRacy
	if st.racy(s.start, s.slack) {
		d.flags |= dirRacy
	}
	s.e.changed = true
}

// checkName returns an error for a name about which git must decide.
func (s *scan) checkName(d *dir, n dirName) error {
	path := join(d.path, n.name)
	switch {
	case n.name == ".git":
		if d.path == "" {
			return nil
		}
		return unsupported(reasonPath, path, "repository inside the work tree")
	case OddName(n.name) || n.name == ".gitmodules" && n.kind == kindLink:
		return unsupported(reasonPath, path, "name that git may refuse")
	case s.e.meta.Settings.Precompose && strings.IndexFunc(n.name, func(r rune) bool { return r >= 0x80 }) >= 0:
		return unsupported(reasonPath, path, "name that git may spell otherwise (core.precomposeUnicode)")
	}
	return nil
}

// consider handles one listed name.
func (s *scan) consider(d *dir, n dirName) error {
	if i, ok := d.find(n.name); ok && d.entries[i].flags&flagGone == 0 {
		e := &d.entries[i]
		if n.kind == kindFile || n.kind == kindLink {
			if d.w.judge && e.flags&flagTracked == 0 {
				s.queries = append(s.queries, query{d, n.name, n.kind})
			}
			return nil
		}
		s.dropEntry(d, e)
	}
	if sub := d.sub(n.name); sub != nil {
		if n.kind == kindDir {
			if d.w.judge {
				s.queries = append(s.queries, query{d, n.name, n.kind})
			}
			return nil
		}
		s.dropDir(sub)
	}
	if i, ok := d.findOther(n.name); ok {
		if d.others[i].kind == n.kind && (!d.w.judge || n.kind == kindSpecial) {
			return nil
		}
		d.others = slices.Delete(d.others, i, i+1)
	}
	return s.newName(d, n)
}

// newName handles a name that is new or must be checked again. It asks git only about untracked names.
func (s *scan) newName(d *dir, n dirName) error {
	path := join(d.path, n.name)
	idx, err := s.index()
	if err != nil {
		return err
	}
	tracked := n.kind != kindDir && idx.find(path) != nil
	switch {
	case tracked:
		return s.include(d, n.name)
	case s.e.meta.Settings.IgnoreCase && idx.hasFolded(path) && !(n.kind == kindDir && idx.hasBelow(path)):
		return unsupported(reasonPath, path, "tracked in another case (core.ignoreCase)")
	case n.kind == kindSpecial:
		d.insertOther(n)
	default:
		s.queries = append(s.queries, query{d, n.name, n.kind})
	}
	return nil
}

// removeUnlisted removes known names that the listing does not have.
func (s *scan) removeUnlisted(d *dir, names []dirName) {
	listed := func(name string) bool {
		_, ok := search(names, name, func(n dirName) string { return n.name })
		return ok
	}
	for i := range d.entries {
		if e := &d.entries[i]; e.flags&flagGone == 0 && !listed(e.name) {
			s.dropEntry(d, e)
		}
	}
	for _, sub := range slices.Clone(d.kids()) {
		if !listed(sub.name()) {
			s.dropDir(sub)
		}
	}
	d.others = slices.DeleteFunc(d.others, func(o dirName) bool { return !listed(o.name) })
}

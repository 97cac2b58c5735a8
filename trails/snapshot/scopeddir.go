package snapshot

import "strings"

// lookDir updates a directory and everything in it from the disk.
func (s *scan) lookDir(d *dir, missing []string, name string) error {
	if len(missing) == 0 {
		if i, ok := d.find(name); ok {
			s.dropEntry(d, &d.entries[i])
		}
		if sub := d.sub(name); sub != nil {
			return s.lookBelow(sub)
		}
	}
	path := join(join(d.path, strings.Join(missing, "/")), name)
	idx, err := s.index()
	if err != nil {
		return err
	}
	ignored, err := s.asker.ask(s.ctx, []string{path})
	if err != nil || ignored[0] != included && !idx.hasBelow(path) {
		return err
	}
	sub, err := s.openDirs(d, append(missing, name))
	if err != nil {
		return err
	}
	return s.lookBelow(sub)
}

func (s *scan) lookBelow(d *dir) error {
	if err := s.statTree(d); err != nil {
		return err
	}
	s.workOf(d).judge = s.rulesChanged(d)
	if err := s.walk([]*dir{d}); err != nil {
		return err
	}
	if s.attrTouched {
		s.e.meta.AttrStale = true
	}
	return nil
}

// openDirs adds the directories above a path. The next full snapshot adds their other content. Below an ignored
// directory only tracked paths count.
func (s *scan) openDirs(d *dir, names []string) (*dir, error) {
	partial := d.flags&dirPartial != 0
	for _, name := range names {
		path := join(d.path, name)
		if !partial {
			ignored, err := s.asker.ask(s.ctx, []string{path})
			if err != nil {
				return nil, err
			}
			partial = ignored[0] != included
		}
		if _, err := s.tree.lstat(path + "/.git"); err == nil && !partial {
			return nil, unsupported(reasonPath, path+"/.git", "repository inside the work tree")
		}
		if i, ok := d.find(name); ok {
			s.dropEntry(d, &d.entries[i])
		}
		d = s.addDir(d, name, partial)
	}
	return d, nil
}

package snapshot

import (
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `unread` handles a directory that cannot be listed. Git finds no untracked file in it either, but still checks each
// tracked file.
func (s *scan) unread(d *dir) error {
	d.flags |= dirUnread | dirPartial
	s.sawUnread = true
	return s.readPartial(d, fileStat{})
}

// readPartial updates a directory from the index, without listing it. It is for an ignored directory, in which only
// tracked files count.
func (s *scan) readPartial(d *dir, st fileStat) error {
	idx, err := s.index()
	if err != nil {
		return err
	}
	s.touch(d)
	s.seen(d, st)
	d.others = nil
	files, dirs := childrenOf(idx.below(d.path), d.path)
	for i := range d.entries {
		e := &d.entries[i]
		if _, ok := slices.BinarySearch(files, e.name); !ok && e.flags&(flagGone|flagWatch) == 0 {
			s.dropEntry(d, e)
		}
	}
	for _, name := range files {
		i, ok := d.find(name)
		switch {
		case !ok || d.entries[i].flags&flagGone != 0:
			if err := s.include(d, name); err != nil {
				return err
			}
		case d.entries[i].flags&flagWatch != 0:
			d.entries[i].flags = flagTracked | flagTodo
		default:
			d.entries[i].flags |= flagTracked
		}
	}
	s.watchAttributes(d)
	return s.partialSubs(d, dirs)
}

// watchAttributes watches an attribute file that is not tracked, because git applies its rules too.
func (s *scan) watchAttributes(d *dir) {
	if _, ok := d.find(attributesFile); ok {
		return
	}
	if st, err := s.tree.lstat(join(d.path, attributesFile)); err == nil && st.isFile() {
		s.watch(d, attributesFile, st)
	}
}

func (s *scan) partialSubs(d *dir, names []string) error {
	for _, sub := range slices.Clone(d.kids()) {
		if _, ok := slices.BinarySearch(names, sub.name()); !ok {
			s.dropDir(sub)
		}
	}
	for _, name := range names {
		if sub := d.sub(name); sub != nil {
			if sub.flags&dirPartial == 0 {
				sub.flags |= dirPartial
				sub.st = fileStat{}
				s.workOf(sub).self = finding{}
			}
			continue
		}
		if st, err := s.tree.lstat(join(d.path, name)); err == nil && st.isDir() {
			s.addDir(d, name, true)
		}
	}
	return nil
}

// childrenOf returns the names of the files and of the directories directly in a directory, both sorted.
func childrenOf(entries []indexEntry, dir string) (files, dirs []string) {
	skip := 0
	if dir != "" {
		skip = len(dir) + 1
	}
	for i := range entries {
		rest := entries[i].path[skip:]
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			dirs = append(dirs, rest[:slash])
		} else {
			files = append(files, rest)
		}
	}
	slices.Sort(files)
	slices.Sort(dirs)
	return slices.Compact(files), slices.Compact(dirs)
}

// rulesOf returns a digest of a directory's own ignore rules, or the zero id without rules. Like git, it does not
// follow a symbolic link.
func (s *scan) rulesOf(d *dir) refs.OID {
	content, err := s.readRules(join(d.path, ignoreFile))
	if err != nil {
		return refs.OID{}
	}
	return s.e.repo.Format.Hash(refs.BlobObject, content)
}

func (s *scan) readRules(path string) ([]byte, error) {
	f, err := s.tree.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := fdStat(f)
	if err != nil {
		return nil, err
	}
	if !st.isFile() || st.size > maxRuleFile {
		return nil, errNotFile
	}
	return io.ReadAll(f)
}

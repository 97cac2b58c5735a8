package snapshot

import (
	"slices"
	"strings"
)

// newer is a directory in the journal that the state file has otherwise, or has not.
type newer struct {
	head, entries, others, names []byte
}

// overlay holds the journal's directories beside a state file, in a form for look-ups: as with the file, a snapshot
// that needs few directories reads few.
type overlay struct {
	dirs map[string]newer
	subs map[string][]string // paths of the entries of dirs, by their parent directory
	gone map[string]bool     // directories of the file that were removed, with their descendants
}

func (f *stateFile) overlay() *overlay {
	if f.over.dirs == nil {
		f.over = overlay{map[string]newer{}, map[string][]string{}, map[string]bool{}}
	}
	return &f.over
}

// put notes the present form of a directory.
func (f *stateFile) put(path string, n newer) {
	o := f.overlay()
	if _, known := o.dirs[path]; !known && path != "" {
		parent := parentPath(path)
		o.subs[parent] = append(o.subs[parent], path)
	}
	o.dirs[path] = n
}

// drop notes that a directory was removed with its descendants; for the top, only the descendants.
func (f *stateFile) drop(path string) {
	o := f.overlay()
	o.gone[path] = true
	o.forget(path)
	if path == "" {
		return
	}
	delete(o.dirs, path)
	parent := parentPath(path)
	o.subs[parent] = slices.DeleteFunc(o.subs[parent], func(sub string) bool { return sub == path })
}

// forget takes out everything below a directory.
func (o *overlay) forget(path string) {
	subs := o.subs[path]
	delete(o.subs, path)
	for _, sub := range subs {
		delete(o.dirs, sub)
		o.forget(sub)
	}
}

// renew brings a directory that was read from the file, or is in the journal alone, up to date, its children excepted.
func (f *stateFile) renew(d *dir) {
	if n, ok := f.over.dirs[d.path]; ok {
		d.readHead(n.head, f.hash)
		d.packed = &packed{entries: n.entries, others: n.others, names: string(n.names), hash: f.hash}
		d.saved.records = d.packed
	}
	if f.over.gone[d.path] {
		d.unread = nil
	}
	if d.unread == nil && len(f.over.subs[d.path]) > 0 {
		d.unread = &rows{file: f}
	}
}

// newSubs returns the directories right below a directory that only the journal has.
func (f *stateFile) newSubs(d *dir) []*dir {
	var list []*dir
	for _, path := range f.over.subs[d.path] {
		_, known := slices.BinarySearchFunc(d.subs, baseName(path),
			func(s *dir, n string) int { return strings.Compare(s.name(), n) })
		if !known {
			list = append(list, &dir{path: path, parent: d})
		}
	}
	return list
}

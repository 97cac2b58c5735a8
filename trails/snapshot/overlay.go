package snapshot

import "slices"

// newer holds a directory of the journal that is missing in the state file, or different there.
type newer struct {
	head, entries, others, names []byte
}

// overlay holds the journal's directories in a form for look-ups. As with the state file, a snapshot that needs few
// directories reads few.
type overlay struct {
	dirs map[string]newer
	subs map[string][]string // paths of the directories in dirs, by parent directory
	gone map[string]bool     // directories of the state file that were removed, with their descendants
}

func (f *stateFile) overlay() *overlay {
	if f.over.dirs == nil {
		f.over = overlay{map[string]newer{}, map[string][]string{}, map[string]bool{}}
	}
	return &f.over
}

// `put` stores the new form of a directory.
func (f *stateFile) put(path string, n newer) {
	o := f.overlay()
	if _, known := o.dirs[path]; !known && path != "" {
		parent := parentPath(path)
		o.subs[parent] = append(o.subs[parent], path)
	}
	o.dirs[path] = n
}

// `drop` notes that a directory was removed with its descendants. For the top it removes only the descendants.
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

// forget removes everything below a directory from the overlay.
func (o *overlay) forget(path string) {
	subs := o.subs[path]
	delete(o.subs, path)
	for _, sub := range subs {
		delete(o.dirs, sub)
		o.forget(sub)
	}
}

// renew applies the journal to a directory that was read from the state file, or that only the journal has. It leaves
// out the children.
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

// newSubs returns the direct subdirectories of a directory that only the journal has.
func (f *stateFile) newSubs(d *dir) []*dir {
	var list []*dir
	for _, path := range f.over.subs[d.path] {
		if _, known := findSub(d.subs, baseName(path)); !known {
			list = append(list, &dir{path: path, parent: d})
		}
	}
	return list
}

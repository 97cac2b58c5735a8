package snapshot

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// entry is a file or link of a directory: in the tree (mode is not 0), or only watched.
type entry struct {
	name  string
	st    fileStat
	mode  uint32 // in the tree: 100644, 100755, 120000
	flags uint16
	oid   refs.OID
}

// Flags of an entry. Those from flagTodo on live only during a snapshot.
const (
	flagTracked    uint16 = 1 << iota // in the user's index
	flagRacy                          // its stamps do not say whether it changed: hash it again
	flagFromIndex                     // the id is the index's word, not computed here
	flagByGit                         // the id comes from git and may depend on the path's entry in the index
	flagUnreadable                    // cannot be read or filtered; the tree has the index's entry, or none
	flagWatch                         // an ignored .gitignore or .gitattributes: not in the tree, yet rules come from it

	flagTodo // hash it
	flagGone // no longer there
	flagSeen // in the index, while entries are compared with it
)

const savedFlags = flagTodo - 1

// dir is a directory that is looked into. Its lists are sorted by name. A directory that comes from the state file has
// its entries and others only after open.
type dir struct {
	path    string // "" is the top
	parent  *dir
	st      fileStat // as of the last reading; the zero value asks for one
	tree    refs.OID // the zero id for an empty tree
	rules   refs.OID // digest of the .gitignore that judged the names
	flags   uint16
	entries []entry
	others  []dirName // seen and not in the tree: ignored, or special files
	subs    []*dir    // see kids
	unread  *rows     // subs as yet unread

	packed *packed // entries and others as yet undecoded; see open
	saved  saved   // the state on disk
	w      *work   // during a snapshot
}

// Flags of a directory.
const (
	dirRacy    uint16 = 1 << iota // read it again
	dirPartial                    // ignored or unreadable: only tracked paths count, and the index lists them
	dirUnread                     // could not be listed
	dirStale                      // its .gitignore changed in a scoped snapshot: judge its names again
)

func (d *dir) name() string { return baseName(d.path) }

// find returns where in entries a name is, or would be.
func (d *dir) find(name string) (int, bool) {
	d.open()
	return slices.BinarySearchFunc(d.entries, name, func(e entry, n string) int { return strings.Compare(e.name, n) })
}

func (d *dir) findOther(name string) (int, bool) {
	d.open()
	return slices.BinarySearchFunc(d.others, name, func(o dirName, n string) int { return strings.Compare(o.name, n) })
}

// sub returns the directory of a name, nil if it is not looked into.
func (d *dir) sub(name string) *dir {
	subs := d.kids()
	i, ok := slices.BinarySearchFunc(subs, name, func(s *dir, n string) int { return strings.Compare(s.name(), n) })
	if !ok {
		return nil
	}
	return subs[i]
}

// descend returns the directory of a path below d, nil if it is not looked into.
func (d *dir) descend(path string) *dir {
	for path != "" && d != nil {
		name, rest, _ := strings.Cut(path, "/")
		d, path = d.sub(name), rest
	}
	return d
}

// all appends d and everything below it, parents first.
func (d *dir) all(list []*dir) []*dir {
	if d.parent == nil && d.unread != nil {
		d.unread.file.readAll()
	}
	list = append(list, d)
	for _, s := range d.kids() {
		list = s.all(list)
	}
	return list
}

// known appends d and its descendants that have been read: the others cannot differ from the state on disk.
func (d *dir) known(list []*dir) []*dir {
	list = append(list, d)
	for _, s := range d.subs {
		list = s.known(list)
	}
	return list
}

// treeEntries returns the content of the directory's tree.
func (d *dir) treeEntries() []refs.TreeEntry {
	d.open()
	list := make([]refs.TreeEntry, 0, len(d.entries)+len(d.kids()))
	for i := range d.entries {
		if e := &d.entries[i]; e.mode != 0 {
			list = append(list, refs.TreeEntry{Name: e.name, Mode: e.mode, OID: e.oid})
		}
	}
	for _, s := range d.kids() {
		if !s.tree.IsZero() {
			list = append(list, refs.TreeEntry{Name: s.name(), Mode: refs.ModeDir, OID: s.tree})
		}
	}
	return list
}

// insertEntry inserts an entry and returns it; it replaces an entry of the same name.
func (d *dir) insertEntry(e entry) *entry {
	i, ok := d.find(e.name)
	if ok {
		d.entries[i] = e
	} else {
		d.entries = slices.Insert(d.entries, i, e)
	}
	return &d.entries[i]
}

func (d *dir) insertSub(s *dir) {
	i, ok := slices.BinarySearchFunc(d.kids(), s.name(), func(x *dir,
		n string) int {
		return strings.Compare(x.name(), n)
	})
	if ok {
		d.subs[i] = s
		return
	}
	d.subs = slices.Insert(d.subs, i, s)
}

func (d *dir) insertOther(o dirName) {
	i, ok := d.findOther(o.name)
	if ok {
		d.others[i] = o
		return
	}
	d.others = slices.Insert(d.others, i, o)
}

func (d *dir) removeOther(name string) {
	if i, ok := d.findOther(name); ok {
		d.others = slices.Delete(d.others, i, i+1)
	}
}

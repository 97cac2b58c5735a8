package snapshot

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// entry is a file or symbolic link of a directory. It is in the tree (mode is not 0), or is only watched.
type entry struct {
	name  string
	st    fileStat
	mode  uint32 // mode in the tree: 100644, 100755 or 120000
	flags uint16
	oid   refs.OID
}

// Flags of an entry. flagTodo and the following ones are used only during a snapshot.
const (
	flagTracked    uint16 = 1 << iota // in the user's index
	flagRacy                          // the time stamps of the file cannot show a change: hash it again
	flagFromIndex                     // the id comes from the index, and was not computed here
	flagByGit                         // git computed the id, which may depend on the path's entry in the index
	flagUnreadable                    // cannot be read or filtered; the tree has the entry of the index, or none
	flagWatch                         // an ignored .gitignore or .gitattributes: not in the tree, but its rules apply

	flagTodo // must be hashed
	flagGone // is missing now
	flagSeen // found in the index, while entries are compared with it
)

const savedFlags = flagTodo - 1

// dir is a directory that snapshots list. Its lists are sorted by name. A directory from the state file has its entries
// and others only after open.
type dir struct {
	path    string // "" means the top
	parent  *dir
	st      fileStat // stat data when it was last listed; the zero value means that it must be listed
	tree    refs.OID // the zero id for an empty tree
	rules   refs.OID // digest of the .gitignore that was applied to the names
	flags   uint16
	entries []entry
	others  []dirName // names that are not in the tree: ignored files, or special files
	subs    []*dir    // see kids
	unread  *rows     // subdirectories that are not read yet

	packed *packed // entries and others that are not decoded yet; see open
	saved  saved   // the state on disk
	w      *work   // used only during a snapshot
}

// Flags of a directory.
const (
	dirRacy    uint16 = 1 << iota // must be listed again
	dirPartial                    // ignored or unreadable: only tracked paths count, and the index lists them
	dirUnread                     // could not be listed
	dirStale                      // the directory's .gitignore changed in a scoped snapshot: check its names again
)

func (d *dir) name() string { return baseName(d.path) }

// find returns the index at which entries has a name, or at which the name would be inserted.
func (d *dir) find(name string) (int, bool) {
	d.open()
	return search(d.entries, name, func(e entry) string { return e.name })
}

func (d *dir) findOther(name string) (int, bool) {
	d.open()
	return search(d.others, name, func(o dirName) string { return o.name })
}

func findSub(subs []*dir, name string) (int, bool) { return search(subs, name, (*dir).name) }

func search[T any](sorted []T, name string, of func(T) string) (int, bool) {
	return slices.BinarySearchFunc(sorted, name, func(x T, name string) int { return strings.Compare(of(x), name) })
}

// put inserts an item at the result of a search, or replaces the one that is there.
func put[T any](list []T, i int, found bool, x T) []T {
	if !found {
		return slices.Insert(list, i, x)
	}
	list[i] = x
	return list
}

// sub returns the directory of a name, or nil if it is unknown or not listed.
func (d *dir) sub(name string) *dir {
	if i, ok := findSub(d.kids(), name); ok {
		return d.subs[i]
	}
	return nil
}

// descend returns the directory of a path below d, or nil if it is unknown or not listed.
func (d *dir) descend(path string) *dir {
	for path != "" && d != nil {
		name, rest, _ := strings.Cut(path, "/")
		d, path = d.sub(name), rest
	}
	return d
}

// `all` appends the directory and all its descendants to a list, parents first.
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

// `known` appends the directory and all its descendants that have been read. The others cannot differ from the state on
// disk.
func (d *dir) known(list []*dir) []*dir {
	list = append(list, d)
	for _, s := range d.subs {
		list = s.known(list)
	}
	return list
}

// treeEntries returns the entries of the directory's tree object.
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

// insertEntry inserts an entry and returns it. It replaces an entry with the same name.
func (d *dir) insertEntry(e entry) *entry {
	i, ok := d.find(e.name)
	d.entries = put(d.entries, i, ok, e)
	return &d.entries[i]
}

func (d *dir) insertSub(s *dir) {
	i, ok := findSub(d.kids(), s.name())
	d.subs = put(d.subs, i, ok, s)
}

func (d *dir) insertOther(o dirName) {
	i, ok := d.findOther(o.name)
	d.others = put(d.others, i, ok, o)
}

func (d *dir) removeOther(name string) {
	if i, ok := d.findOther(name); ok {
		d.others = slices.Delete(d.others, i, i+1)
	}
}

package refs

import (
	"errors"
	"slices"
	"strings"
)

type thing struct {
	oid     OID
	typ     ObjectType
	content []byte
}

// treeCache caches trees, and the root trees of commits, because callers read many paths.
type treeCache struct {
	roots   map[OID]OID
	trees   map[OID][]TreeEntry
	entries int
}

// maxCachedEntries limits the number of cached entries of trees. They take about 10 MB.
const maxCachedEntries = 100_000

// `inside` finds, without git, the entry at a path of a commit or tree that is named by its full id
// ("0123…:src/main.go"), or the commit itself ("0123…^{commit}"). It returns an error only if git would. The result
// `known` is false if git must answer: for other names, for paths relative to the current directory, for submodules,
// and for objects that this code cannot read. If `want` is set, it also reads the content.
func (o *Objects) inside(rev string, want bool) (at thing, known bool, err error) {
	digits := 2 * o.repo.Format.Size()
	if len(rev) <= digits {
		return thing{}, false, nil
	}
	top, err := ParseOID(rev[:digits])
	if err != nil {
		return thing{}, false, nil //nolint:nilerr // a name, which git knows
	}
	path, isPath := strings.CutPrefix(rev[digits:], ":")
	switch {
	case !isPath:
		at, known = o.direct(top)
		return at, known && rev[digits:] == "^{commit}" && at.typ == CommitObject, nil
	case path == "" || path[0] == '.' || strings.HasSuffix(path, "/") || strings.Contains(path, "//"):
		return thing{}, false, nil
	}
	root, known := o.root(top)
	if !known {
		return thing{}, false, nil
	}
	e, there, err := o.below(root, path)
	switch {
	case err != nil || e.Mode == ModeGitlink:
		return thing{}, false, nil //nolint:nilerr // damaged, or missing: git has the message
	case !there:
		return thing{}, true, ErrMissing
	case want:
		at, known = o.direct(e.OID)
		return at, known, nil
	}
	return thing{oid: e.OID, typ: e.Type()}, o.has(e.OID), nil
}

// EntryAt returns the entry of a commit or a tree at a path of raw bytes, or the zero entry if there is none. It does
// not read the content, which may be missing in this clone.
func (o *Objects) EntryAt(top OID, path string) (TreeEntry, error) {
	root, known := o.root(top)
	if !known {
		c, err := o.Commit(top)
		switch root = c.Tree; {
		case errors.Is(err, ErrOtherType):
			root = top
		case err != nil:
			return TreeEntry{}, err
		}
	}
	e, _, err := o.below(root, path)
	return e, err
}

// root returns the tree of a commit. For a tree it returns the tree itself.
func (o *Objects) root(top OID) (root OID, known bool) {
	if root, known = o.seen.roots[top]; known {
		return root, true
	}
	at, known := o.direct(top)
	if !known {
		return OID{}, false
	}
	root = top
	if at.typ == CommitObject {
		c, err := DecodeCommit(at.content)
		if err != nil {
			return OID{}, false // damaged: git reports the error
		}
		root = c.Tree
	}
	if len(o.seen.roots) >= maxCachedEntries/10 || o.seen.roots == nil {
		o.seen.roots = map[OID]OID{}
	}
	o.seen.roots[top] = root
	return root, true
}

func (o *Objects) entriesOf(tree OID) ([]TreeEntry, error) {
	if entries, known := o.seen.trees[tree]; known {
		return entries, nil
	}
	entries, err := o.Tree(tree)
	if err != nil {
		return nil, err
	}
	if o.seen.entries += len(entries); o.seen.entries > maxCachedEntries || o.seen.trees == nil {
		o.seen.trees, o.seen.entries = map[OID][]TreeEntry{}, len(entries)
	}
	o.seen.trees[tree] = entries
	return entries, nil
}

// `below` follows a path, starting from a tree.
func (o *Objects) below(tree OID, path string) (found TreeEntry, there bool, err error) {
	for more := true; more; tree = found.OID {
		var name string
		name, path, more = strings.Cut(path, "/")
		entries, err := o.entriesOf(tree)
		if err != nil {
			return TreeEntry{}, false, err
		}
		i := slices.IndexFunc(entries, func(e TreeEntry) bool { return e.Name == name })
		if i < 0 || more && !entries[i].IsDir() {
			return TreeEntry{}, false, nil
		}
		found = entries[i]
	}
	return found, true, nil
}

// direct reads an object without git, for inside.
func (o *Objects) direct(oid OID) (thing, bool) {
	typ, content, err := o.stored(oid)
	return thing{oid, typ, content}, err == nil
}

// `has` reports whether stored would find an object.
func (o *Objects) has(oid OID) bool {
	if exists(loosePath(o.repo.SideObjects(), oid)) || exists(loosePath(o.repo.MainObjects(), oid)) {
		return true
	}
	o.openPacks()
	return o.packs.has(oid)
}

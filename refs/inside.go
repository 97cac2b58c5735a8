package refs

import (
	"slices"
	"strings"
)

// thing is an object with its content.
type thing struct {
	oid     OID
	typ     ObjectType
	content []byte
}

// inside finds what a commit or a tree of a whole name has at a path ("0123…:src/main.go"), or the commit itself
// ("0123…^{commit}"), without git. An error is one that git would give too. Known is false where only git can tell: of
// names of another form, of paths that git takes from the current directory, of submodules, and of objects that are not
// read here.
func (o *Objects) inside(rev string) (at thing, known bool, err error) {
	digits := 2 * o.repo.Format.Size()
	if len(rev) <= digits {
		return thing{}, false, nil
	}
	top, err := ParseOID(rev[:digits])
	if err != nil {
		return thing{}, false, nil //nolint:nilerr // a name, which git knows
	}
	at, known = o.direct(top)
	path, isPath := strings.CutPrefix(rev[digits:], ":")
	switch {
	case !known:
		return thing{}, false, nil
	case !isPath:
		return at, rev[digits:] == "^{commit}" && at.typ == CommitObject, nil
	case path == "" || path[0] == '.' || strings.HasSuffix(path, "/") || strings.Contains(path, "//"):
		return thing{}, false, nil
	}
	if at.typ == CommitObject {
		c, err := DecodeCommit(at.content)
		if err != nil {
			return thing{}, false, nil //nolint:nilerr // damaged: git tells how
		}
		if at, known = o.direct(c.Tree); !known {
			return thing{}, false, nil
		}
	}
	return o.below(at, path)
}

// below follows a path from a tree.
func (o *Objects) below(at thing, path string) (found thing, known bool, err error) {
	for more := true; more; {
		var name string
		name, path, more = strings.Cut(path, "/")
		entries, err := DecodeTree(o.repo.Format, at.content)
		if at.typ != TreeObject || err != nil {
			return thing{}, false, nil //nolint:nilerr // damaged: git tells how
		}
		i := slices.IndexFunc(entries, func(e TreeEntry) bool { return e.Name == name })
		switch {
		case i < 0 || more && !entries[i].IsDir():
			return thing{}, true, ErrMissing
		case entries[i].Mode == ModeGitlink:
			return thing{}, false, nil
		}
		if at, known = o.direct(entries[i].OID); !known {
			return thing{}, false, nil
		}
	}
	return at, true, nil
}

// direct is stored as inside wants it.
func (o *Objects) direct(oid OID) (thing, bool) {
	typ, content, err := o.stored(oid)
	return thing{oid, typ, content}, err == nil
}

package rename

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Seen gives the last seen state of a work tree.
type Seen interface {
	Lookup(path string) (snapshot.Entry, bool)
	// Moved reports whether the file now at a path is the file that another path had then.
	Moved(from, to string) bool
}

// Tree is the present work tree.
type Tree interface {
	// `Has` reports whether the work tree has a file at a path.
	Has(path string) bool
	// Entry describes the file at a path.
	Entry(path string) snapshot.Entry
	// `Gone` reports whether a path has no file.
	Gone(path string) bool
	// Older reports whether the last write of a file was before the last full snapshot.
	Older(path string) bool
}

// Contents reads contents, and gives the known facts about contents and their names.
type Contents interface {
	// Read gives the lines of a content; none for one without lines.
	Read(mode uint32, oid refs.OID) ([][]byte, error)
	// Stored reports whether the repository may have a content.
	Stored(oid refs.OID) bool
	// Known reports whether the owners of a content of a path are known.
	Known(path string, oid refs.OID) bool
	// Former lists the contents that a path had before the last one and that one of the lines may have left.
	Former(path string, lines func() [][]byte) []refs.OID
	// Staged maps new names in the index to their names in HEAD.
	Staged() map[string]string
}

// Change is the change of a path since it was seen last, or in a stash.
type Change struct {
	Old File
	New refs.OID // the zero id for a deleted file
}

// Query asks for older names at a moment.
type Query struct {
	Contents
	Moment  moment.Moment
	Work    *gitfacts.Work // git's actions since the last look at everything
	Wrote   bool           // git wrote to the work tree, or may have done so
	Asked   refs.OID       // the commit that is being anchored; zero if there is none
	Stashes []refs.OID     // stashes made since the last look at everything

	Last func() (Seen, bool) // false if it cannot be read
	Tree Tree
	// Changes holds the changes of the look, or of the stash.
	Changes []Change

	Stash   gitfacts.Stash      // the stash to search, if any
	Stashed map[string]refs.OID // the stash's content of each path; the zero id for a deleted path
	Untold  []*File             // missing files of whose last contents the stash tells nothing

	seen map[string]bool // paths that sets of the same rank have already added
}

// file reads a content that had a name.
func (q *Query) file(path string, mode uint32, oid refs.OID) (*File, error) {
	lines, err := q.Read(mode, oid)
	return &File{Path: path, Mode: mode, OID: oid, Lines: lines}, err
}

// begin resets the list of added paths. A new name that has a file now did not lose it; if it has none, git may have
// removed the file before.
func (q *Query) begin(born []*File) {
	q.seen = map[string]bool{}
	for _, c := range q.Changes {
		q.seen[c.Old.Path] = !c.New.IsZero()
	}
	for _, b := range born {
		q.seen[b.Path] = true
	}
}

// `once` reports whether a path is added for the first time.
func (q *Query) once(path string) bool {
	if q.seen[path] {
		return false
	}
	q.seen[path] = true
	return true
}

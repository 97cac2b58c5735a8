package rename

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// world is what a test says of git, of what was seen last and of the work tree.
type world struct {
	made  map[refs.OID]refs.Commit
	files map[refs.OID]map[string]refs.OID
	texts map[refs.OID]string

	last  map[string]refs.OID // what was seen last
	moved map[string]string   // new name → old name, by the inode
	there map[string]refs.OID // in the work tree

	staged map[string]string // new name → old name, in the index
	former []refs.OID        // earlier contents of any path
	known  bool              // the owners of all contents
	unread error             // of all contents
}

func (w *world) Commit(commit refs.OID) (refs.Commit, error) {
	c, found := w.made[commit]
	if !found {
		return c, refs.ErrMissing
	}
	return c, nil
}

func (w *world) Blob(commit refs.OID, path string) (refs.OID, error) {
	return w.files[commit][path], nil
}

func (w *world) Files(commit refs.OID) ([]gitfacts.File, error) {
	if w.files[commit] == nil {
		return nil, refs.ErrMissing
	}
	var out []gitfacts.File
	for path, blob := range w.files[commit] {
		out = append(out, gitfacts.File{Path: path, Blob: blob})
	}
	return out, nil
}

func (w *world) Changed(from, to refs.OID) ([]snapshot.Change, error) {
	var out []snapshot.Change
	for path, blob := range w.files[to] {
		if old := w.files[from][path]; old != blob {
			c := snapshot.Change{Path: path, Old: old, New: blob, NewMode: 0o100644}
			if !old.IsZero() {
				c.OldMode = 0o100644
			}
			out = append(out, c)
		}
	}
	for path, blob := range w.files[from] {
		if w.files[to][path].IsZero() {
			out = append(out, snapshot.Change{Path: path, Old: blob, OldMode: 0o100644})
		}
	}
	return out, nil
}

func (w *world) Newest() []refs.OID { return nil }

func (*world) Named(string) (refs.OID, bool) { return refs.OID{}, false }

func (w *world) MergeBase(refs.OID, refs.OID) (refs.OID, bool) { return refs.OID{}, false }

func (w *world) Lookup(path string) (snapshot.Entry, bool) {
	oid, found := w.last[path]
	return snapshot.Entry{Mode: 0o100644, OID: oid}, found
}

func (w *world) Read(_ uint32, oid refs.OID) ([][]byte, error) {
	text, found := w.texts[oid]
	if !found && w.unread == nil {
		return nil, errors.New("not there")
	}
	return linediff.Split([]byte(text)), w.unread
}

func (w *world) Stored(refs.OID) bool                      { return true }
func (w *world) Known(string, refs.OID) bool               { return w.known }
func (w *world) Staged() map[string]string                 { return w.staged }
func (w *world) Former(string, func() [][]byte) []refs.OID { return w.former }

func (w *world) Moved(from, to string) bool { return w.moved[to] == from }
func (w *world) Has(path string) bool       { return !w.there[path].IsZero() }
func (w *world) Gone(path string) bool      { return w.there[path].IsZero() }
func (w *world) Older(path string) bool     { return w.moved[path] != "" }
func (w *world) Entry(path string) snapshot.Entry {
	return snapshot.Entry{Mode: 0o100644, OID: w.there[path]}
}

func commitID(t *testing.T, n int) refs.OID {
	t.Helper()
	oid, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// blob is a content that the world has.
func (w *world) blob(content string) refs.OID {
	oid := refs.SHA1.Hash(refs.BlobObject, []byte(content))
	w.texts[oid] = content
	return oid
}

// commit is a commit with files, given as path and content in turn.
func (w *world) commit(t *testing.T, n int, parents []int, files ...string) refs.OID {
	t.Helper()
	var list []refs.OID
	for _, p := range parents {
		list = append(list, commitID(t, p))
	}
	oid := commitID(t, n)
	w.made[oid] = refs.Commit{Parents: list, Message: "x"}
	w.files[oid] = map[string]refs.OID{}
	for i := 0; i+1 < len(files); i += 2 {
		w.files[oid][files[i]] = w.blob(files[i+1])
	}
	return oid
}

// Contents that stories tell of.
const (
	mine  = "one of it\ntwo of it\nthree of it\nfour of it\n"
	other = "something else\nand more\n"
)

// story is a world with a query about the new file b.txt, whose content is mine.
type story struct {
	*world
	t *testing.T
	*Query
}

// tell begins a story: HEAD has moved as the entries of its reflog say, beginning with the first commit.
func tell(t *testing.T, at moment.Moment, entries ...string) *story {
	t.Helper()
	w := &world{
		made: map[refs.OID]refs.Commit{}, files: map[refs.OID]map[string]refs.OID{}, texts: map[refs.OID]string{},
		last: map[string]refs.OID{}, moved: map[string]string{}, there: map[string]refs.OID{},
	}
	dir := t.TempDir()
	var log strings.Builder
	head := 1
	for _, e := range entries {
		_, message, _ := strings.Cut(e, " ")
		if _, err := fmt.Sscan(e, &head); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&log, "%040d %040d A <a@b> 1 +0000\t%s\n", 0, head, message)
	}
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "logs", "HEAD"), []byte(log.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	repo := &refs.Repo{GitDir: dir, CommonDir: dir, RefFormat: "files", Format: refs.SHA1}
	work := gitfacts.Between(repo, w, gitfacts.Mark{Head: commitID(t, 1), Index: 1}, gitfacts.Mark{Head: commitID(t, head), Log: 1, Index: 2})
	w.there["b.txt"] = w.blob(mine)
	w.files[commitID(t, head)] = map[string]refs.OID{}
	q := &Query{
		Contents: w,
		Moment:   at, Work: work, Wrote: true, Tree: w,
		Last: func() (Seen, bool) { return w, true },
	}
	return &story{w, t, q}
}

// lost says that a path was seen with a content and has another one now, or none.
func (s *story) lost(path, before, now string) {
	c := Change{Old: contentOf(path, before)}
	s.last[path] = s.blob(before)
	if now != "" {
		c.New = s.blob(now)
		s.there[path] = c.New
	}
	s.Changes = append(s.Changes, c)
}

package trails

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// maxFormer limits the number of earlier contents of a missing file.
const maxFormer = 8

// names finds the older names of files.
type names struct {
	tree  *workTree
	older older
}

// older holds the known older names. Its fields are nil until they are needed.
type older struct {
	gone     []rename.Change                 // see findOlderName
	newNames map[string]origin.Candidate     // see UnderOlderName
	nested   []string                        // see noteNested
	changed  func() ([]rename.Change, error) // see pendingChange
	staged   map[string]string               // see Staged
	rivals   []*file                         // see rivals
}

// olderNames finds the older names of new files, and drops deletions that turned out to be renames.
func (n *names) olderNames(q *rename.Query, files []*file) ([]*file, error) {
	var born []*rename.File
	byPath := map[string]*file{}
	for _, f := range files {
		if f.old.OID.IsZero() && !f.new.OID.IsZero() {
			born = append(born, &rename.File{Path: f.path, OID: f.new.OID, Lines: f.new.Lines})
			byPath[f.path] = f
		}
	}
	if len(born) == 0 {
		return files, nil
	}
	q.Contents = n
	q.Work, q.Wrote, q.Asked = n.tree.asks.Whole.Work, n.tree.asks.Whole.Restored, n.tree.asks.Commit
	if q.Last == nil {
		q.Last = func() (rename.Seen, bool) { return n.tree.store.last, n.tree.store.findLast() }
	}
	pairs, err := rename.Pair(q, born)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, p := range pairs {
		f := byPath[p.New.Path]
		if f.old, err = n.tree.store.read(p.Old.Mode, p.Old.OID); err != nil {
			return nil, err
		}
		f.oldPath, f.oldMode = p.Old.Path, p.Old.Mode
		gone[p.Old.Path] = true
	}
	var out []*file
	for _, f := range files {
		if !f.new.OID.IsZero() || f.old.OID.IsZero() || !gone[f.path] {
			out = append(out, f)
		}
	}
	return out, nil
}

// Read and the methods below are for package rename.
func (n *names) Read(mode uint32, oid refs.OID) ([][]byte, error) {
	t, err := n.tree.store.read(mode, oid)
	return t.Lines, err
}

func (n *names) Stored(oid refs.OID) bool { return n.tree.store.objects.MayBeStored(oid) }

func (n *names) Known(path string, oid refs.OID) bool {
	_, known := n.tree.store.known.Get(path, oid)
	return known
}

func (n *names) Former(path string, lines func() [][]byte) []refs.OID {
	return n.tree.store.known.Left(path, lines, maxFormer)
}

// changesOf returns the changes of files for package rename.
func changesOf(files []*file) []rename.Change {
	var out []rename.Change
	for _, f := range files {
		out = append(out, rename.Change{Old: rename.File{Path: f.path, Mode: f.oldMode, OID: f.old.OID, Lines: f.old.Lines},
			New: f.new.OID})
	}
	return out
}

// momentOfLook returns the moment of a look: a commit's or another one.
func (n *names) momentOfLook() moment.Moment {
	if n.tree.asks.Commit.IsZero() {
		return moment.Look
	}
	return moment.CommitLook
}

// lookedAt implements rename.Tree for the work tree as a look saw it.
type lookedAt struct{ looks *looks }

func (l lookedAt) Has(path string) bool {
	_, found := l.looks.snap.Lookup(path)
	return found
}

func (l lookedAt) Entry(path string) snapshot.Entry {
	entry, _ := l.looks.snap.Lookup(path)
	return entry
}

func (l lookedAt) Gone(path string) bool { return l.looks.tree.store.goneFromWorkTree(path) }

func (l lookedAt) Older(path string) bool { return l.looks.tree.store.writtenBeforeLook(path) }

// atRest implements rename.Tree without a snapshot of the present state: the last seen files count as present, unless
// they are known to be deleted.
type atRest struct {
	tree *workTree
	gone map[string]bool
}

func (a atRest) Has(path string) bool {
	if _, seen := a.tree.store.last.Lookup(path); seen {
		return !a.gone[path]
	}
	return !a.tree.store.goneFromWorkTree(path)
}

func (a atRest) Entry(path string) snapshot.Entry {
	content, found := readWorkFile(a.tree.repo, path)
	if !found {
		return snapshot.Entry{}
	}
	return snapshot.Entry{OID: a.tree.repo.Format.Hash(refs.BlobObject, content)}
}

func (a atRest) Gone(path string) bool { return a.tree.store.goneFromWorkTree(path) }

func (a atRest) Older(path string) bool { return a.tree.store.writtenBeforeLook(path) }

func (c *contents) goneFromWorkTree(path string) bool {
	_, err := os.Lstat(filepath.Join(c.repo.WorkTree, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// writtenBeforeLook reports whether the last write of a file was before the end of the last boundary. A rename does not
// change that time.
func (c *contents) writtenBeforeLook(path string) bool {
	now, err := os.Lstat(filepath.Join(c.repo.WorkTree, filepath.FromSlash(path)))
	last, errLast := os.Stat(StatePath(c.repo))
	return err == nil && errLast == nil && !now.ModTime().After(last.ModTime())
}

// asSeen holds the contents of paths before the changes of a look.
type asSeen struct {
	looks   *looks
	changes []snapshot.Change
}

func (a asSeen) Lookup(path string) (snapshot.Entry, bool) {
	entry := a.looks.lastSeen(path, a.changes)
	return entry, !entry.OID.IsZero()
}

// Moved is not used here: a file that a stash took is not in the work tree.
func (a asSeen) Moved(_, _ string) bool { return false }

// Staged maps the new names in the index to their names in HEAD (git-diff-index(1)).
func (n *names) Staged() map[string]string {
	if n.older.staged != nil {
		return n.older.staged
	}
	n.older.staged = map[string]string{}
	args := append([]string{"diff-index", "--cached", "-M", "--diff-filter=R"}, gitdiff.Raw()...)
	out, err := n.tree.repo.Git(n.tree.ctx, nil, append(args, "HEAD")...)
	if err != nil {
		return n.older.staged // there is no HEAD
	}
	renamed, _ := gitdiff.Records(out) // other output of git is ignored
	for _, r := range renamed {
		n.older.staged[r.Path] = r.OldPath
	}
	return n.older.staged
}

// `peek` lists the last seen paths that are now deleted or have another content. It runs git once. If there are more
// than `most`, and `most` is not 0, it returns none.
func (n *names) peek(most int) ([]rename.Change, error) {
	if !n.tree.store.findLast() || n.tree.store.last.Tree().IsZero() {
		return nil, nil
	}
	args := append([]string{"diff-index"}, gitdiff.Raw()...)
	args = append(args, "--no-renames", "--ignore-submodules=all", n.tree.store.last.Tree().String())
	cmd := n.tree.repo.Command(n.tree.ctx, args...)
	cmd.Env = append(cmd.Env, n.tree.repo.SideReadEnv()...)
	raw, err := cmd.Output()
	if err != nil {
		return nil, n.tree.ctx.Err() // the tree of a lost snapshot is not evidence
	}
	changed, err := snapshot.ParseRawDiff(string(raw))
	if err != nil || most > 0 && len(changed) > most {
		return nil, err
	}
	var out []rename.Change
	for _, c := range changed {
		entry, found := n.tree.store.last.Lookup(c.Path)
		if !found {
			continue
		}
		// git's index has another content under the name, or does not have the name: git mv took the name, and somebody wrote
		// another file
		if c.New.IsZero() && (c.NewMode != 0 || !n.tree.store.goneFromWorkTree(c.Path)) {
			if c.New = (atRest{tree: n.tree}).Entry(c.Path).OID; c.New == entry.OID {
				continue
			}
		}
		t, err := n.tree.store.read(entry.Mode, entry.OID)
		if err != nil {
			return nil, err
		}
		out = append(out, rename.Change{Old: rename.File{Path: c.Path, Mode: entry.Mode, OID: entry.OID, Lines: t.Lines},
			New: c.New})
	}
	return out, nil
}

// nameBefore finds the older names of files in the work tree that no look has seen.
func (n *names) nameBefore(at moment.Moment, changes []rename.Change, files ...*file) error {
	gone := map[string]bool{}
	for _, c := range changes {
		gone[c.Old.Path] = c.New.IsZero()
	}
	_, err := n.olderNames(&rename.Query{
		Moment: at, Tree: atRest{n.tree, gone}, Changes: changes,
		Stashes: gitfacts.Newer(n.tree.now.Stashes, n.tree.state.Git.Stashes),
	}, files)
	return err
}

// maxRivals limits the number of new files that may also have an older name.
const maxRivals = 256

// rivals lists the other new files of the work tree, which the next look will also find: a content gets only one new
// name.
func (n *names) rivals(path string) ([]*file, error) {
	if n.older.rivals == nil {
		if err := n.findRivals(); err != nil {
			return nil, err
		}
	}
	var out []*file
	for _, f := range n.older.rivals {
		if f.path != path {
			out = append(out, &file{path: f.path, oldPath: f.path, new: f.new})
		}
	}
	return out, nil
}

func (n *names) findRivals() error {
	raw, err := n.tree.repo.Git(n.tree.ctx, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return fmt.Errorf("list new files: %w", err)
	}
	n.older.rivals = []*file{}
	done := map[string]bool{"": true} // a conflicted path is listed three times
	for name := range bytes.SplitSeq(raw, []byte{0}) {
		if _, seen := n.tree.store.last.Lookup(string(name)); seen || done[string(name)] {
			continue
		}
		done[string(name)] = true
		content, found := readWorkFile(n.tree.repo, string(name))
		if found && len(n.older.rivals) < maxRivals {
			t := newText(n.tree.repo.Format.Hash(refs.BlobObject, content), content)
			n.older.rivals = append(n.older.rivals, &file{path: string(name), new: t})
		}
	}
	return nil
}

// These bound the new files of one step, and the changed files with which they are compared: somebody waits for the
// answer.
const (
	maxNewNames = 32
	maxGone     = 256
)

// UnderOlderName returns the last seen content of a file that was renamed since, if no look has seen the new name. A
// commit since the last look at everything must have it. For example: a file is renamed and committed while hooks are
// off, and a rebase then makes that commit again. It does not change the state.
func (o *origins) UnderOlderName(commit refs.OID, path string) (origin.Candidate, bool) {
	n := o.tree.names
	if from, asked := n.older.newNames[path]; asked {
		return from, !from.Blob.IsZero()
	}
	if len(n.older.newNames) == maxNewNames || len(n.tree.store.known.Blobs(path, 1)) > 0 || !n.tree.store.findLast() {
		return origin.Candidate{}, false
	}
	git := n.tree.asks.Whole
	if _, there := n.tree.store.last.Lookup(path); there || !git.Known() || !git.MovedTo(commit) {
		return origin.Candidate{}, false
	}
	if n.older.newNames == nil {
		n.older.newNames = map[string]origin.Candidate{}
	}
	n.older.newNames[path] = n.findOlderName(path)
	return n.older.newNames[path], !n.older.newNames[path].Blob.IsZero()
}

// findOlderName compares a file of the work tree with the files that lost their names.
func (n *names) findOlderName(path string) origin.Candidate {
	content, found := readWorkFile(n.tree.repo, path)
	if !found {
		return origin.Candidate{}
	}
	if n.older.gone == nil {
		gone, err := n.peek(maxGone)
		if err != nil {
			gone = nil // without a list, no file counts as renamed
		}
		n.older.gone = append([]rename.Change{}, gone...)
	}
	f := &file{path: path, oldPath: path, new: newText(n.tree.repo.Format.Hash(refs.BlobObject, content), content)}
	if err := n.nameBefore(moment.Rewritten, n.older.gone, f); err != nil {
		return origin.Candidate{}
	}
	return origin.Candidate{Path: f.oldPath, Blob: f.old.OID, Trust: origin.Far}
}

// If a repository lies in the work tree, git sees its commit and not its files. Tools that set up a project make such
// repositories. After the removal of its git directory, its files appear as new files. Lines unchanged since the last
// look belong to the nested repository's owner. For example: an agent runs create-next-app, and a person removes
// app/.git.

// nestedKey returns the key for the owners of a nested repository in the ledger, by its commits.
func nestedKey(dir string) string { return dir + "/" }

// keepNested notes who made a nested repository, or a commit in it.
func (rec *record) keepNested(f *file, owner vector.Owner) {
	if f.newMode == refs.ModeGitlink {
		rec.tree.store.known.Put(nestedKey(f.path), f.new.OID, vector.Uniform(1, owner))
	}
}

// fromNested returns the owners of the lines of a file that was in a nested repository until now; nil for any other
// file.
func (n *names) fromNested(f *file) []vector.Origin {
	if !f.old.OID.IsZero() || f.new.OID.IsZero() || f.new.Whole || path.Dir(f.path) == "." ||
		!n.tree.store.writtenBeforeLook(f.path) || !n.tree.store.findLast() {
		return nil
	}
	for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
		was, found := n.tree.store.last.Lookup(dir)
		if found && was.Mode == refs.ModeGitlink || slices.Contains(n.older.nested, dir) {
			return []vector.Origin{{Count: len(f.new.Lines), Why: vector.Equal, Owner: n.ownerOfNested(dir)}}
		}
	}
	return nil
}

// wasForeign reports whether a path was in a nested repository at the last look, and a person did not make all of it:
// snapshots have nothing of it, so a part of the file may be as old as the repository.
func (n *names) wasForeign(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if slices.Contains(n.older.nested, dir) {
			return n.ownerOfNested(dir).Kind != events.OwnerHuman
		}
	}
	return false
}

// noteNested notes the nested repositories of the last look that are missing in this one.
func (n *names) noteNested(changes []snapshot.Change) {
	for _, c := range changes {
		if c.OldMode == refs.ModeGitlink && c.New.IsZero() {
			n.older.nested = append(n.older.nested, c.Path)
		}
	}
}

// ownerOfNested returns the maker of a nested repository and its commits; unknown if there are several makers.
func (n *names) ownerOfNested(dir string) vector.Owner {
	owner := vector.Unknown
	for i, commit := range n.tree.store.known.Blobs(nestedKey(dir), origin.MaxEarlier) {
		v, _ := n.tree.store.known.Get(nestedKey(dir), commit)
		if i > 0 && v.At(0) != owner {
			return vector.Unknown
		}
		owner = v.At(0)
	}
	return owner
}

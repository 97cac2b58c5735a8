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

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// maxFormer bounds the earlier contents of a file that is gone.
const maxFormer = 8

// olderNames gives the new ones of some files the names that they had before, and leaves out the deletions that were
// found to be renames.
func (s *workTree) olderNames(q *rename.Query, files []*file) ([]*file, error) {
	var born []*rename.File
	byPath, texts := map[string]*file{}, map[refs.OID]text{}
	for _, f := range files {
		texts[f.old.oid] = f.old
	}
	for _, f := range files {
		if f.old.oid.IsZero() && !f.new.oid.IsZero() {
			born = append(born, &rename.File{Path: f.path, OID: f.new.oid, Lines: f.new.lines})
			byPath[f.path], texts[f.new.oid] = f, f.new
		}
	}
	if len(born) == 0 {
		return files, nil
	}
	q.Read = func(mode uint32, oid refs.OID) ([][]byte, error) {
		t, err := s.read(mode, oid)
		texts[oid] = t
		return t.lines, err
	}
	q.Work, q.Wrote, q.Asked = s.asks.Whole.Work, s.asks.Whole.Restored, s.asks.Commit
	q.Stored, q.Staged = s.objects.MayBeStored, s.staged
	q.Known = func(path string, oid refs.OID) bool {
		_, known := s.known.Get(path, oid)
		return known
	}
	q.Former = func(path string, lines func() [][]byte) []refs.OID { return s.known.Left(path, lines, maxFormer) }
	if q.Last == nil {
		q.Last = func() (rename.Seen, bool) { return s.last, s.findLast() }
	}
	pairs, err := rename.Pair(q, born)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, p := range pairs {
		f := byPath[p.New.Path]
		old, found := texts[p.Old.OID]
		if !found {
			if old, err = s.read(p.Old.Mode, p.Old.OID); err != nil {
				return nil, err
			}
		}
		f.oldPath, f.oldMode, f.old = p.Old.Path, p.Old.Mode, old
		gone[p.Old.Path] = true
	}
	var out []*file
	for _, f := range files {
		if !f.new.oid.IsZero() || f.old.oid.IsZero() || !gone[f.path] {
			out = append(out, f)
		}
	}
	return out, nil
}

// changesOf returns the changes of files for package rename.
func changesOf(files []*file) []rename.Change {
	var out []rename.Change
	for _, f := range files {
		out = append(out, rename.Change{Old: rename.File{Path: f.path, Mode: f.oldMode, OID: f.old.oid, Lines: f.old.lines},
			New: f.new.oid})
	}
	return out
}

// momentOfLook reports whether a look is a commit's.
func (s *workTree) momentOfLook() moment.Moment {
	if s.asks.Commit.IsZero() {
		return moment.Look
	}
	return moment.CommitLook
}

// lookedAt is the work tree as a look has found it.
type lookedAt struct{ *step }

func (l lookedAt) Has(path string) bool {
	_, found := l.snap.Lookup(path)
	return found
}

func (l lookedAt) Entry(path string) snapshot.Entry {
	entry, _ := l.snap.Lookup(path)
	return entry
}

func (l lookedAt) Gone(path string) bool { return l.goneFromWorkTree(path) }

func (l lookedAt) Older(path string) bool { return l.writtenBeforeLook(path) }

// atRest is a work tree without a snapshot of its present state: the last seen files count as still there, except
// the files that are known to be gone.
type atRest struct {
	*workTree
	gone map[string]bool
}

func (a atRest) Has(path string) bool {
	if _, seen := a.last.Lookup(path); seen {
		return !a.gone[path]
	}
	return !a.goneFromWorkTree(path)
}

func (a atRest) Entry(path string) snapshot.Entry {
	content, found := readWorkFile(a.repo, path)
	if !found {
		return snapshot.Entry{}
	}
	return snapshot.Entry{OID: a.repo.Format.Hash(refs.BlobObject, content)}
}

func (a atRest) Gone(path string) bool { return a.goneFromWorkTree(path) }

func (a atRest) Older(path string) bool { return a.writtenBeforeLook(path) }

func (s *workTree) goneFromWorkTree(path string) bool {
	_, err := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// writtenBeforeLook reports whether a file was last written before the last boundary ended. A new name leaves that
// time as it was.
func (s *workTree) writtenBeforeLook(path string) bool {
	now, err := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(path)))
	last, errLast := os.Stat(StatePath(s.repo))
	return err == nil && errLast == nil && !now.ModTime().After(last.ModTime())
}

// asSeen holds the contents of paths before the changes that a look has found.
type asSeen struct {
	*step
	changes []snapshot.Change
}

func (a asSeen) Lookup(path string) (snapshot.Entry, bool) {
	entry := a.lastSeen(path, a.changes)
	return entry, !entry.OID.IsZero()
}

// Moved is never asked: what a stash took is not in the work tree.
func (a asSeen) Moved(_, _ string) bool { return false }

// staged maps the new names in the index to their names in HEAD (git-diff-index(1)).
func (s *workTree) staged() map[string]string {
	args := append([]string{"diff-index", "--cached", "-M", "--diff-filter=R"}, gitdiff.Raw()...)
	out, err := s.repo.Git(s.ctx, nil, append(args, "HEAD")...)
	if err != nil {
		return nil // there is no HEAD
	}
	renamed, _ := gitdiff.Records(out) // what git said otherwise tells no name
	names := map[string]string{}
	for _, r := range renamed {
		names[r.Path] = r.OldPath
	}
	return names
}

// peek lists the last seen paths that are now gone or have another content. It runs git once. If there are more
// than most, and most is not 0, it returns none.
func (s *workTree) peek(most int) ([]rename.Change, error) {
	if !s.findLast() || s.last.Tree().IsZero() {
		return nil, nil
	}
	args := append([]string{"diff-index"}, gitdiff.Raw()...)
	cmd := s.repo.Command(s.ctx, append(args, "--no-renames", "--ignore-submodules=all", s.last.Tree().String())...)
	cmd.Env = append(cmd.Env, s.repo.SideReadEnv()...)
	raw, err := cmd.Output()
	if err != nil {
		return nil, s.ctx.Err() // the tree of a snapshot that is gone says nothing
	}
	changed, err := snapshot.ParseRawDiff(string(raw))
	if err != nil || most > 0 && len(changed) > most {
		return nil, err
	}
	var out []rename.Change
	for _, c := range changed {
		entry, found := s.last.Lookup(c.Path)
		if !found {
			continue
		}
		// git's index has the name and not the content, or not the name: git mv took the name, and somebody wrote another
		if c.New.IsZero() && (c.NewMode != 0 || !s.goneFromWorkTree(c.Path)) {
			if c.New = (atRest{workTree: s}).Entry(c.Path).OID; c.New == entry.OID {
				continue
			}
		}
		t, err := s.read(entry.Mode, entry.OID)
		if err != nil {
			return nil, err
		}
		out = append(out, rename.Change{Old: rename.File{Path: c.Path, Mode: entry.Mode, OID: entry.OID, Lines: t.lines},
			New: c.New})
	}
	return out, nil
}

// nameBefore finds the older names of files of the work tree that no look has seen.
func (s *workTree) nameBefore(at moment.Moment, changes []rename.Change, files ...*file) error {
	gone := map[string]bool{}
	for _, c := range changes {
		gone[c.Old.Path] = c.New.IsZero()
	}
	_, err := s.olderNames(&rename.Query{
		Moment: at, Tree: atRest{s, gone}, Changes: changes, Stashes: gitfacts.Newer(s.now.Stashes, s.state.Git.Stashes),
	}, files)
	return err
}

// maxRivals bounds the new files that may have an older name as well.
const maxRivals = 256

// rivals returns the other new files of the work tree, which the next look will find as well: a content has one new
// name.
func (s *workTree) rivals(path string) ([]*file, error) {
	raw, err := s.repo.Git(s.ctx, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, fmt.Errorf("list new files: %w", err)
	}
	var out []*file
	done := map[string]bool{"": true, path: true} // a path with a conflict is listed three times
	for name := range bytes.SplitSeq(raw, []byte{0}) {
		if _, seen := s.last.Lookup(string(name)); seen || done[string(name)] {
			continue
		}
		done[string(name)] = true
		if content, found := readWorkFile(s.repo, string(name)); found && len(out) < maxRivals {
			t := newText(s.repo.Format.Hash(refs.BlobObject, content), content)
			out = append(out, &file{path: string(name), oldPath: string(name), new: t})
		}
	}
	return out, nil
}

// How many files with a new name are asked for in one step, and among how many that changed: somebody waits for it.
const (
	maxNewNames = 32
	maxGone     = 256
)

// underOlderName returns the last seen content of a file that has another name since, at which nobody has looked yet. A
// commit that was made since the last look at everything must have it. For example: a file is renamed and committed
// while hooks are off, and a rebase then makes that commit anew. The state of the last look is left as it is.
func (s *workTree) underOlderName(commit refs.OID, path string) (origin.Candidate, bool) {
	if from, asked := s.older.newNames[path]; asked {
		return from, !from.Blob.IsZero()
	}
	if len(s.older.newNames) == maxNewNames || len(s.known.Blobs(path, 1)) > 0 || !s.findLast() {
		return origin.Candidate{}, false
	}
	if _, there := s.last.Lookup(path); there || !s.asks.Whole.Known() || !s.asks.Whole.MovedTo(commit) {
		return origin.Candidate{}, false
	}
	if s.older.newNames == nil {
		s.older.newNames = map[string]origin.Candidate{}
	}
	s.older.newNames[path] = s.findOlderName(path)
	return s.older.newNames[path], !s.older.newNames[path].Blob.IsZero()
}

// findOlderName compares a file of the work tree with the files that lost their names.
func (s *workTree) findOlderName(path string) origin.Candidate {
	content, found := readWorkFile(s.repo, path)
	if !found {
		return origin.Candidate{}
	}
	if s.older.gone == nil {
		gone, err := s.peek(maxGone)
		if err != nil {
			gone = nil // what cannot be listed has no new name
		}
		s.older.gone = append([]rename.Change{}, gone...)
	}
	f := &file{path: path, oldPath: path, new: newText(s.repo.Format.Hash(refs.BlobObject, content), content)}
	if err := s.nameBefore(moment.Rewritten, s.older.gone, f); err != nil {
		return origin.Candidate{}
	}
	return origin.Candidate{Path: f.oldPath, Blob: f.old.oid, Trust: origin.Far}
}

// If a repository lies in the work tree, git sees its commit and not its files. Tools that set up a project make
// such repositories. Once its git directory is removed, its files turn up as new ones. Lines that nobody has
// written since the last look belong to the nested repository's owner. For example: an agent runs create-next-app,
// and a person removes app/.git.

// nestedKey returns the key in the ledger for the owners of a nested repository, by its commits.
func nestedKey(dir string) string { return dir + "/" }

// keepNested remembers who made a nested repository, or a commit in it.
func (s *step) keepNested(f *file, owner vector.Owner) error {
	if f.newMode != refs.ModeGitlink {
		return nil
	}
	return s.known.Put(nestedKey(f.path), f.new.oid, vector.Uniform(1, owner))
}

// fromNested says whose the lines of a file are that lay in a nested repository until now; nil for any other file.
func (s *workTree) fromNested(f *file) []vector.Origin {
	if !f.old.oid.IsZero() || f.new.oid.IsZero() || f.new.whole || path.Dir(f.path) == "." ||
		!s.writtenBeforeLook(f.path) || !s.findLast() {
		return nil
	}
	for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
		if was, found := s.last.Lookup(dir); found && was.Mode == refs.ModeGitlink || slices.Contains(s.older.nested, dir) {
			return []vector.Origin{{Count: len(f.new.lines), Why: vector.Equal, Owner: s.ownerOfNested(dir)}}
		}
	}
	return nil
}

// noteNested remembers the nested repositories that were in the last look and are gone in this one.
func (s *workTree) noteNested(changes []snapshot.Change) {
	for _, c := range changes {
		if c.OldMode == refs.ModeGitlink && c.New.IsZero() {
			s.older.nested = append(s.older.nested, c.Path)
		}
	}
}

// ownerOfNested returns the maker of a nested repository and its commits; unknown if several did.
func (s *workTree) ownerOfNested(dir string) vector.Owner {
	owner := vector.Unknown
	for i, commit := range s.known.Blobs(nestedKey(dir), origin.MaxEarlier) {
		v, _ := s.known.Get(nestedKey(dir), commit)
		if i > 0 && v.At(0) != owner {
			return vector.Unknown
		}
		owner = v.At(0)
	}
	return owner
}

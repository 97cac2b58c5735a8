package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The names of the methods.
const (
	MethodOwn = "own"
	MethodGit = "git"
)

// Entry is a snapshot's entry at one path.
type Entry struct {
	Mode uint32 // 100644, 100755, 120000 or 160000 (octal)
	OID  refs.OID
}

// Change is one path that differs between two snapshots. A zero mode and id mean that the path is missing.
type Change struct {
	Path             string // path relative to the top, with slashes; raw bytes
	OldMode, NewMode uint32
	Old, New         refs.OID
	// PassedOver reports that the path is known to have existed at the last snapshot, and that git skipped it.
	PassedOver bool
}

// Snapshot is the content of the work tree at one moment.
type Snapshot struct {
	Tree    refs.OID
	Changes []Change // since the engine's last snapshot, sorted by path
	Skipped []string // paths that could not be read or filtered; the tree has the user's index entry there, or none
	Method  string   // MethodOwn or MethodGit
	Seeded  bool     // the last snapshot is missing or unreadable, so Changes is empty
	Whole   bool     // Changes is complete, even if only some paths were asked for
}

// Engine takes snapshots of one work tree and stores the last one. Only one goroutine of one process may use it at a
// time.
type Engine struct {
	repo *refs.Repo
	path string // path of the state file

	meta    meta
	root    *dir      // last snapshot of git-trace's own method, or nil
	scratch *gitIndex // last snapshot of the git method, decoded on demand

	store   store  // the state on disk
	release func() // releases the mapped state file, if there is one
	changed bool   // changed since Open or Save
	broken  bool   // a snapshot failed: the data in memory is invalid
	behind  behind

	// WriteBehind lets Full and Scoped return while trees are still being written. The caller must call Flush before it
	// passes on the tree of a snapshot.
	WriteBehind bool

	// Most, unless it is 0, limits the number of files that may have to be hashed. A snapshot that finds more fails with
	// ErrMany before it reads any file.
	Most int

	// Listens lets Full compare with the disk only what a monitor names, if there is one.
	Listens bool

	git    bool             // always use the git method; for tests
	now    func() time.Time // returns the time; tests replace it
	limit  time.Duration    // monitorLimit, unless it is 0; for tests
	remote bool             // time stamps may come from another machine
}

// ErrMany is returned if a snapshot would have to read more files than Engine.Most, or if Glance finds too many changed
// files.
var ErrMany = errors.New("too many changed files to wait for")

// Open loads the state of a work tree. The caller must close the engine, unless its process ends. A missing or damaged
// state file, or one of another version, is not an error: the next snapshot starts from nothing.
func Open(ctx context.Context, repo *refs.Repo, statePath string) (*Engine, error) {
	if repo.Bare() {
		return nil, fmt.Errorf("open snapshot state: %w", refs.ErrBare)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open snapshot state: %w", err)
	}
	e := &Engine{repo: repo, path: statePath, now: time.Now, remote: remoteFileSystem(repo.WorkTree)}
	if err := e.load(); err != nil {
		return nil, fmt.Errorf("open snapshot state: %w", err)
	}
	return e, nil
}

// Tree returns the tree of the last snapshot, or the zero id if there is none.
func (e *Engine) Tree() refs.OID { return e.meta.Tree }

// Lookup returns the last snapshot's entry at a path. It has no entries for directories.
func (e *Engine) Lookup(path string) (Entry, bool) {
	if e.meta.Git != nil {
		return e.lookupScratch(path)
	}
	x := e.entryAt(path)
	return Entry{x.mode, x.oid}, x.mode != 0
}

// entryAt returns an entry of the last snapshot by git-trace's own method, or an empty one.
func (e *Engine) entryAt(path string) entry {
	if e.root != nil {
		if d := e.root.descend(parentPath(path)); d != nil {
			if i, found := d.find(baseName(path)); found {
				return d.entries[i]
			}
		}
	}
	return entry{}
}

// Full takes a snapshot of everything. If ctx ends first, it changes nothing and returns an error.
func (e *Engine) Full(ctx context.Context) (Snapshot, error) {
	return e.take(ctx, nil)
}

// Scoped takes a snapshot in which only the given paths may differ from the last one. It reads only these paths, and
// finds created, changed and deleted files. A directory means all its content. Ignored paths are left out unless they
// are tracked. Like Keep, it also stores unchanged contents in the side store. Without a last snapshot, and with the
// git method, it does the same as Full.
func (e *Engine) Scoped(ctx context.Context, paths []string) (Snapshot, error) {
	if slices.Contains(paths, "") || slices.Contains(paths, ".") {
		return e.take(ctx, nil)
	}
	if paths == nil {
		paths = []string{}
	}
	return e.take(ctx, paths)
}

// take takes a snapshot. If paths is nil, it takes one of everything.
func (e *Engine) take(ctx context.Context, paths []string) (Snapshot, error) {
	if e.broken {
		if err := e.load(); err != nil {
			return Snapshot{}, fmt.Errorf("take snapshot: %w", err)
		}
	}
	e.broken = true
	marked := e.marked()
	snap, err := e.run(ctx, paths)
	if e.damaged() { // start from nothing
		e.Close()
		e.broken = true
		snap, err = e.run(ctx, paths)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || !e.WriteBehind {
		err = errors.Join(err, e.behind.wait())
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("take snapshot: %w", err)
	}
	e.broken = false
	wasPassedOver(snap.Changes, marked)
	slices.SortFunc(snap.Changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	slices.Sort(snap.Skipped)
	snap.Skipped = slices.Compact(snap.Skipped)
	return snap, nil
}

// run chooses the method. If git-trace's own method cannot continue, the git method takes the snapshot, and the
// following ones until the reason is gone.
func (e *Engine) run(ctx context.Context, paths []string) (Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return Snapshot{}, err
	}
	if err := e.refresh(ctx); err != nil {
		return Snapshot{}, err
	}
	if e.meta.Tree.IsZero() {
		paths = nil
	}
	last := e.meta.Tree
	reason, err := e.reasonForGit(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	if reason == nil {
		snap, err := e.runOwn(ctx, paths)
		var no *unsupportedError
		if !errors.As(err, &no) {
			return snap, err
		}
		reason = &no.reason
	}
	e.root, e.changed = nil, true // discard the changes of git-trace's own method
	if e.meta.Git == nil {
		e.meta.Git = &gitState{}
	}
	e.meta.Git.Reason = *reason
	snap, err := e.runGit(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	e.notePassedOver(ctx)
	if snap, err = e.compare(ctx, last, snap); err == nil {
		e.keepChanges(snap)
	}
	return snap, err
}

// `compare` asks git for the changes since the last tree, and adds them to the snapshot.
func (e *Engine) compare(ctx context.Context, last refs.OID, snap Snapshot) (Snapshot, error) {
	snap.Seeded, snap.Whole = last.IsZero(), !last.IsZero()
	if snap.Seeded || last == snap.Tree {
		return snap, nil
	}
	changes, err := e.diffTrees(ctx, last, snap.Tree)
	var failed *refs.GitError
	if errors.As(err, &failed) { // objects of the last tree are missing
		snap.Seeded, snap.Whole = true, false
		return snap, nil
	}
	snap.Changes = changes
	return snap, err
}

// Keep makes sure that the content that the last snapshot has at a path is a loose object of the side store. It reads
// the content from disk if the file is unchanged, otherwise through git. It stores nothing, and returns no error, for
// an unknown path, for missing content and for content larger than 32 MiB.
func (e *Engine) Keep(path string) error {
	entry, ok := e.Lookup(path)
	if !ok || entry.Mode == refs.ModeGitlink {
		return nil
	}
	if err := e.keep(path, entry); err != nil {
		return fmt.Errorf("keep %s: %w", filepath.Base(path), err)
	}
	return nil
}

// Save writes the state if it changed. It appends the changes to the journal, or replaces the whole state by rename.
// After a failed snapshot it does nothing.
func (e *Engine) Save() error {
	if err := e.Flush(); err != nil {
		return fmt.Errorf("save snapshot state: %w", err)
	}
	if !e.changed || e.broken {
		return nil
	}
	err := e.append()
	if errors.Is(err, errWriteAll) {
		err = e.writeAll()
	}
	if errors.Is(err, errBadState) { // damage was found only now: the next snapshot starts from nothing
		err = os.Remove(e.path)
	}
	if err != nil {
		return fmt.Errorf("save snapshot state: %w", err)
	}
	e.changed = false
	return nil
}

// keepChanges stores the new contents of a snapshot by the git method in the side store. Git does not write contents
// that the repository already has, even if only the index or a stash has them. If git prunes them later, the next
// snapshot cannot be compared with this one. If there are more than maxTrusted changes, git itself wrote the contents,
// and they are not stored.
func (e *Engine) keepChanges(snap Snapshot) {
	if len(snap.Changes) == 0 || len(snap.Changes) > maxTrusted {
		return
	}
	objects := e.repo.Objects()
	objects.Max = keepLimit
	defer func() { _ = objects.Close() }()
	dirs := map[string]bool{"": true}
	for _, c := range snap.Changes {
		if c.NewMode != 0 && c.NewMode != refs.ModeGitlink {
			_ = e.keepBy(objects, c.Path, Entry{c.NewMode, c.New}) // errors do not matter here
		}
		for dir := parentPath(c.Path); dir != ""; dir = parentPath(dir) {
			dirs[dir] = true
		}
	}
	e.keepTree(objects, snap.Tree, "", dirs)
}

// keepTree stores a tree, and its subtrees whose paths are in `dirs`.
func (e *Engine) keepTree(objects *refs.Objects, tree refs.OID, path string, dirs map[string]bool) {
	if !dirs[path] {
		return
	}
	typ, raw, err := objects.Read(tree)
	if err != nil || typ != refs.TreeObject {
		return
	}
	if _, err := e.repo.WriteLoose(e.repo.SideObjects(), refs.TreeObject, raw); err != nil {
		return
	}
	entries, err := refs.DecodeTree(e.repo.Format, raw)
	if err != nil {
		return
	}
	for _, x := range entries {
		if x.IsDir() {
			e.keepTree(objects, x.OID, join(path, x.Name), dirs)
		}
	}
}

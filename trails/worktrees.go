package trails

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// maxMarks limits the number of remembered scoped snapshots with git's position.
const maxMarks = 16

// lookMark is the state of git at a scoped snapshot.
type lookMark struct {
	At  int64
	Git gitfacts.Mark
}

// workTree holds the facts about a work tree at one moment, and git's work there since the last look. Boundaries and
// readers use it; it stores nothing.
type workTree struct {
	ctx      context.Context
	repo     *refs.Repo
	time     time.Time
	state    *state // the state from the last boundary
	interval int64  // the present interval
	now      gitfacts.Mark
	asks     *origin.Case // the sources of contents
	store    *contents
	origins  *origins
	names    *names
	others   []*workTree      // see asides
	mixed    map[string]int64 // see glanced
	passed   map[string]bool  // changed paths that git skipped at the last look
}

func newWorkTree(ctx context.Context, repo *refs.Repo, at time.Time, found *state, known *ledger.Known) *workTree {
	return workTreeOf(&contents{
		ctx: ctx, repo: repo, objects: repo.Objects(), known: known, owners: ledger.NewOwners(repo),
		unsaved: map[refs.OID][]byte{},
	}, at.UTC(), found)
}

func workTreeOf(store *contents, at time.Time, found *state) *workTree {
	tree := &workTree{ctx: store.ctx, repo: store.repo, time: at, state: found, store: store}
	tree.names, tree.origins = &names{tree: tree}, &origins{tree: tree}
	tree.asks = tree.origins.newCase()
	return tree
}

// readWorkTree reads the state of a work tree for a reader. Nothing is saved.
func readWorkTree(ctx context.Context, repo *refs.Repo) (*workTree, error) {
	found, err := loadState(repo)
	if err != nil {
		return nil, err
	}
	s := newWorkTree(ctx, repo, time.Now(), found, ledger.NewKnown(repo))
	s.orient()
	return s, nil
}

func (tree *workTree) close() {
	tree.store.closeLast()
	for _, other := range tree.others {
		other.store.closeLast()
	}
	_ = tree.store.objects.Close() // nothing was written to it
}

func (c *contents) closeLast() {
	if c.last != nil {
		c.last.Close()
	}
}

// orient finds git's position, and whether git wrote to the work tree since the last full snapshot.
func (tree *workTree) orient() {
	tree.now = gitfacts.ReadMark(tree.repo)
	tree.asks.Head = tree.now.Head
	tree.interval = tree.state.Interval + 1
	tree.asks.Whole, tree.origins.since = tree.origins.workSince(tree.state.Git, tree.state.LastFull), nil
	if !tree.now.Squash.IsZero() {
		tree.state.Squash = tree.now.Squash
	}
	tree.asks.Squash, tree.asks.Known = tree.state.Squash, tree.state.Git.Stashes
}

// All work trees list a stash, but it was made in one of them. Its changes are changes of the last seen files of that
// work tree. The calls that were open there may have written them.

// otherWorkTrees lists the git directories of the other work trees of the repository (gitrepository-layout(5)).
func otherWorkTrees(repo *refs.Repo) []string {
	entries, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if err != nil {
		return nil
	}
	var out []string
	if repo.Linked() {
		out = append(out, repo.CommonDir)
	}
	for _, e := range entries {
		if dir := filepath.Join(repo.CommonDir, "worktrees", e.Name()); dir != repo.GitDir {
			out = append(out, dir)
		}
	}
	return out
}

// asides returns the other work trees of the repository whose state can be read, in the state of their last boundaries.
// Their locks are not held, and they are read once, without saving.
func (tree *workTree) asides() []*workTree {
	if tree.others == nil {
		tree.others = []*workTree{}
		for _, dir := range otherWorkTrees(tree.repo) {
			if other, found := tree.aside(dir); found {
				tree.others = append(tree.others, other)
			}
		}
	}
	return tree.others
}

func (tree *workTree) aside(gitDir string) (*workTree, bool) {
	repo := *tree.repo // the files of the other work tree must not matter here
	repo.GitDir = gitDir
	state, err := loadState(&repo)
	if err != nil {
		return nil, false
	}
	store := *tree.store
	store.repo, store.last, store.texts = &repo, nil, texts{}
	other := workTreeOf(&store, tree.time, state)
	return other, other.store.findLast()
}

// otherTree makes the last seen state of another work tree a source of contents for this one.
type otherTree struct {
	tree *workTree
	here *workTree
}

func (t otherTree) Lookup(path string) (snapshot.Entry, bool) { return t.tree.store.last.Lookup(path) }

// `Others` returns the other work trees.
func (o *origins) Others() []origin.Tree {
	var out []origin.Tree
	for _, other := range o.tree.asides() {
		out = append(out, otherTree{other, o.tree})
	}
	return out
}

// Taken returns the content that git removed from the file there, if a look there saw that after the last look at the
// file here.
func (t otherTree) Taken(path string) (refs.OID, bool) {
	gone, found := t.tree.state.Notes.Taken[path]
	lookedSince := t.here.state.Interval == t.here.seen(path) && !gone.At.After(lookedAtLast(t.here.repo.GitDir))
	return gone.Blob, found && !lookedSince
}

// `taken` holds a content that git removed from a file, with the time of the look that saw it.
type taken struct {
	Blob refs.OID
	At   time.Time
}

// maxTaken limits the number of remembered contents that git removed.
const maxTaken = 256

// noteTaken remembers for the other work trees a content that git removed from a file. They find the content of HEAD in
// the commit.
func (tree *workTree) noteTaken(f *file) {
	if f.old.OID.IsZero() || len(tree.state.Notes.Taken) >= maxTaken || len(otherWorkTrees(tree.repo)) == 0 {
		return
	}
	had, err := tree.asks.Git.Blob(tree.state.Git.Head, f.oldPath)
	if err != nil || had == f.old.OID {
		return
	}
	if tree.state.Notes.Taken == nil {
		tree.state.Notes.Taken = map[string]taken{}
	}
	tree.state.Notes.Taken[f.oldPath] = taken{f.old.OID, time.Now().UTC()}
}

// Marks returns the states of git at the last looks. For a commit that git made, such as a revert, the look does not
// see everything.
func (t otherTree) Marks() []gitfacts.Mark {
	out := []gitfacts.Mark{t.tree.state.Git}
	for _, look := range t.tree.state.Marks {
		out = append(out, look.Git)
	}
	return out
}

// makerOf returns the other work tree in which a stash was made; nil if it may have been made in this one, or if no
// known work tree made it.
func (tree *workTree) makerOf(stash refs.OID) *workTree {
	made, found := gitfacts.StashOf(tree.asks.Git, stash)
	if !found {
		return nil
	}
	branch, found := made.Branch(tree.asks.Git)
	if !found || tree.asks.Whole.WasAt(made.Head, branch) {
		return nil
	}
	for _, other := range tree.asides() {
		if other.state.Interval == 0 {
			continue
		}
		if other.asks.Whole == nil {
			other.orient()
		}
		if other.asks.Whole.WasAt(made.Head, branch) {
			return other
		}
	}
	return nil
}

// keepForOthers drops, after a full snapshot, the notes that other work trees no longer need. They may need marks with
// stashes that are gone, and contents that git removed: the stash may have been popped in a work tree without a look
// since. Older notes are dropped once every other work tree was looked at, later than the last look here.
func (tree *workTree) keepForOthers() {
	others := otherWorkTrees(tree.repo)
	marks := tree.state.Marks
	tree.state.Marks = nil
	if len(others) == 0 {
		tree.state.Notes.Taken = nil
		return
	}
	last := lookedAtLast(tree.repo.GitDir)
	behind := slices.ContainsFunc(others, func(dir string) bool { return !lookedAtLast(dir).After(last) })
	var out []lookMark
	for _, m := range append(slices.Clip(marks), lookMark{tree.state.LastFull, tree.state.Git}) {
		known := slices.ContainsFunc(m.Git.Stashes, func(stash refs.OID) bool {
			return !slices.Contains(tree.now.Stashes, stash)
		})
		if known && (behind || m.At >= tree.state.LastFull) {
			out = append(out, lookMark{m.At, gitfacts.Mark{Stashes: m.Git.Stashes}})
		}
	}
	tree.state.Marks = out[max(0, len(out)-maxMarks/2):]
	maps.DeleteFunc(tree.state.Notes.Taken, func(_ string, gone taken) bool { return !behind && gone.At.Before(last) })
}

// lookedAtLast returns the end of the last boundary in the work tree of a git directory.
func lookedAtLast(gitDir string) time.Time {
	info, err := os.Stat(StatePath(&refs.Repo{GitDir: gitDir}))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

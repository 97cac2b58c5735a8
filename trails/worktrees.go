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
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// maxMarks bounds how many looks at some paths are remembered with where git stood then.
const maxMarks = 16

// lookMark is the state of git at a look at some paths, not all.
type lookMark struct {
	At  int64
	Git gitfacts.Mark
}

// workTree holds the facts of a work tree at one moment, and git's work there since the last look. It is for
// boundaries and for readers, and puts nothing down.
type workTree struct {
	ctx      context.Context
	repo     *refs.Repo
	time     time.Time
	state    *state // as the last boundary left it
	interval int64  // the one that is under way
	now      gitfacts.Mark
	objects  *refs.Objects
	known    *ledger.Known
	owners   *ledger.Owners
	asks     *origin.Case           // what contents were made of
	last     *snapshot.Engine       // what was seen last, see findLast
	others   []*workTree            // see asides
	since    map[int64]*origin.Work // what git did since some paths were looked at, by the interval of that look
	mixed    map[string]int64       // see glanced
	passed   map[string]bool        // changed paths that git had passed over when they were looked at last
	older    older
	texts    texts
}

// older holds the findings about older names; nil until asked for.
type older struct {
	gone     []rename.Change             // see findOlderName
	newNames map[string]origin.Candidate // see underOlderName
	nested   []string                    // see noteNested
}

// texts are contents that are kept in mind while successive commits are anchored.
type texts struct {
	contents map[refs.OID][]byte
	kept     int // bytes
}

func newWorkTree(ctx context.Context, repo *refs.Repo, at time.Time, found *state, known *ledger.Known) *workTree {
	s := &workTree{
		ctx: ctx, repo: repo, time: at.UTC(), state: found, objects: repo.Objects(), known: known,
		owners: ledger.NewOwners(repo),
	}
	s.asks = s.newCase()
	return s
}

// readWorkTree reads the state of a work tree for a reader. Nothing is saved.
func readWorkTree(ctx context.Context, repo *refs.Repo) (*workTree, error) {
	found, err := loadState(repo)
	if err != nil {
		return nil, err
	}
	s := newWorkTree(ctx, repo, time.Now(), found, ledger.NewKnown(repo).Frozen())
	s.orient()
	return s, nil
}

func (s *workTree) close() {
	s.closeLast()
	for _, other := range s.others {
		other.closeLast()
	}
	_ = s.objects.Close() // nothing was written to it
}

func (s *workTree) closeLast() {
	if s.last != nil {
		s.last.Close()
	}
}

// orient finds out where git stands, and whether it wrote to the work tree since everything was looked at last.
func (s *workTree) orient() {
	s.now = gitfacts.ReadMark(s.repo)
	s.asks.Base = s.now.Head
	s.interval = s.state.Interval + 1
	s.asks.Whole = s.workSince(s.state.Git, s.state.LastFull)
	if !s.now.Squash.IsZero() {
		s.state.Squash = s.now.Squash
	}
	s.asks.Squash, s.asks.Known = s.state.Squash, s.state.Git.Stashes
}

// A stash is on the list of all work trees, but its changes were written in one of them. It changes the files as that
// work tree was last seen. The calls that were under way there may have written it.

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

// asides returns the other work trees of the repository whose state can be read, as their last boundaries left
// them. Their locks are not held, nothing is saved in them, and they are read once.
func (s *workTree) asides() []*workTree {
	if s.others == nil {
		s.others = []*workTree{}
		for _, dir := range otherWorkTrees(s.repo) {
			if other, found := s.aside(dir); found {
				s.others = append(s.others, other)
			}
		}
	}
	return s.others
}

func (s *workTree) aside(gitDir string) (*workTree, bool) {
	repo := *s.repo // the files of its work tree are none of this one's business
	repo.GitDir = gitDir
	state, err := loadState(&repo)
	if err != nil {
		return nil, false
	}
	other := &workTree{
		ctx: s.ctx, repo: &repo, time: s.time, state: state, objects: s.objects, known: s.known, owners: s.owners,
	}
	other.asks = other.newCase()
	return other, other.findLast()
}

// otherTree is another work tree as it was looked at last, for one here.
type otherTree struct {
	*workTree
	here *workTree
}

func (t otherTree) Lookup(path string) (snapshot.Entry, bool) { return t.last.Lookup(path) }

func (s *workTree) otherTrees() []origin.Tree {
	var out []origin.Tree
	for _, other := range s.asides() {
		out = append(out, otherTree{other, s})
	}
	return out
}

// Taken returns the content that git took out of the file there, if a look there saw it go after the last look at the
// file here.
func (t otherTree) Taken(path string) (refs.OID, bool) {
	gone, found := t.state.Taken[path]
	lookedSince := t.here.state.Interval == t.here.seen(path) && !gone.At.After(lookedAtLast(t.here.repo.GitDir))
	return gone.Blob, found && !lookedSince
}

// taken is a content that git took out of a file, and when a look saw that.
type taken struct {
	Blob refs.OID
	At   time.Time
}

// maxTaken bounds the files whose contents taken out by git are remembered.
const maxTaken = 256

// noteTaken remembers for the other work trees the content that git took out of a file. They find the content of
// HEAD in the commit.
func (s *workTree) noteTaken(f *file) {
	if f.old.oid.IsZero() || len(s.state.Taken) >= maxTaken || len(otherWorkTrees(s.repo)) == 0 {
		return
	}
	had, err := s.asks.Git.Blob(s.state.Git.Head, f.oldPath)
	if err != nil || had == f.old.oid {
		return
	}
	if s.state.Taken == nil {
		s.state.Taken = map[string]taken{}
	}
	s.state.Taken[f.oldPath] = taken{f.old.oid, time.Now().UTC()}
}

// Marks returns the states of git at the last looks. Of a commit that git made, such as a revert, all is not looked at.
func (t otherTree) Marks() []gitfacts.Mark {
	out := []gitfacts.Mark{t.state.Git}
	for _, look := range t.state.Marks {
		out = append(out, look.Git)
	}
	return out
}

// makerOf returns the other work tree in which a stash was made; nil if it may have been made in this one, or if that
// is not known of any that was looked at.
func (s *workTree) makerOf(stash refs.OID) *workTree {
	made, found := gitfacts.StashOf(s.asks.Git, stash)
	if !found {
		return nil
	}
	branch, found := made.Branch(s.asks.Git)
	if !found || s.asks.Whole.WasAt(made.Head, branch) {
		return nil
	}
	for _, other := range s.asides() {
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

// keepForOthers forgets, after a look at everything, the notes that other work trees no longer need. They may need
// marks with stashes that are gone, and contents that git took: the stash may have been popped in a work tree that
// nobody has looked at since. Older notes are dropped if all of them were looked at after the last look here.
func (s *workTree) keepForOthers() {
	others := otherWorkTrees(s.repo)
	marks := s.state.Marks
	s.state.Marks = nil
	if len(others) == 0 {
		s.state.Taken = nil
		return
	}
	last := lookedAtLast(s.repo.GitDir)
	behind := slices.ContainsFunc(others, func(dir string) bool { return !lookedAtLast(dir).After(last) })
	var out []lookMark
	for _, m := range append(slices.Clip(marks), lookMark{s.state.LastFull, s.state.Git}) {
		known := slices.ContainsFunc(m.Git.Stashes, func(stash refs.OID) bool {
			return !slices.Contains(s.now.Stashes, stash)
		})
		if known && (behind || m.At >= s.state.LastFull) {
			out = append(out, lookMark{m.At, gitfacts.Mark{Stashes: m.Git.Stashes}})
		}
	}
	s.state.Marks = out[max(0, len(out)-maxMarks/2):]
	maps.DeleteFunc(s.state.Taken, func(_ string, gone taken) bool { return !behind && gone.At.Before(last) })
}

// lookedAtLast returns the end of the last boundary in the work tree of a git directory.
func lookedAtLast(gitDir string) time.Time {
	info, err := os.Stat(StatePath(&refs.Repo{GitDir: gitDir}))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

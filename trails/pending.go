package trails

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/spool"
	"github.com/git-trace/git-trace/trails/vector"
)

// PendingLines holds the owners of the lines of a content, committed or not.
type PendingLines struct {
	Vector vector.Vector

	owners *ledger.Owners
	open   map[events.PatchID]events.AnchorOwner // owners of calls whose windows are open now
	since  actor                                 // the person who may have written since the last boundary
	// Doubts holds the reasons why lines that changed since the last boundary have no owner.
	Doubts []events.Limit
}

// Describe returns the description of a line's owner.
func (p PendingLines) Describe(o vector.Owner) events.AnchorOwner {
	if o.Patch == "" && o.Kind == events.OwnerHuman {
		return p.since.describe()
	}
	if o.Patch == "" {
		return events.AnchorOwner{Kind: o.Kind}
	}
	if owner, found := p.open[o.Patch]; found {
		return owner
	}
	return p.owners.Describe(o.Patch)
}

// Pending finds the owners of the lines of a path's content in the work tree, or in an editor. It decides about changes
// since the last boundary like the next boundary would. It writes nothing, and takes no lock. The parameters `settle`
// and `editing` (see Engine) may be nil.
func Pending(
	ctx context.Context, repo *refs.Repo, settle Settler, editing func() bool, path string, content []byte,
) (lines PendingLines, err error) {
	defer func() {
		if err == nil {
			err = ctx.Err() // if git does not answer, the file has no older name
		}
	}()
	t := newText(repo.Format.Hash(refs.BlobObject, content), content)
	p, known := remembered(repo, path, t)
	if known {
		return p, nil
	}
	tree, err := readWorkTree(ctx, repo)
	if err != nil {
		return p, err
	}
	defer tree.close()
	s := newWitness(tree, settle, "")
	if s.tree.state.Interval == 0 {
		return p, p.remember(tree, path, t)
	}
	f, err := s.tree.names.pendingChange(moment.Unlooked, path, t)
	if err != nil || f.old.Whole || t.Whole {
		return p, err
	}
	s.tree.readNotes()
	f.vec = s.tree.origins.vectorOf(f.oldPath, f.old)
	explained, err := s.tree.origins.explained(f, false)
	if err != nil {
		return p, fmt.Errorf("find what git wrote: %w", err)
	}
	if v, ok := s.tree.store.known.Get(path, t.OID); ok && explained {
		p.Vector = v
		return p, nil
	}
	p.since = person.beside(editing)
	return p, p.carry(&judge{tree: tree, seen: s, heard: &heard{editor: &editor{}}}, f)
}

// remember finds the owners of a path that no look has seen in this work tree. It uses the contents of the path in
// other work trees, as for a commit (AtCommit). A line that is in none of them belongs to nobody.
func (p *PendingLines) remember(s *workTree, path string, t text) error {
	found, err := s.origins.committed(moment.Unlooked, Committed{Path: path, OldPath: path, Lines: t.Lines}).Lines()
	if err != nil {
		return err
	}
	var b vector.Builder
	for _, run := range found {
		owner := vector.Unknown
		if run.Source >= 0 {
			owner = run.Owner
		}
		b.Add(owner, run.Count)
	}
	p.Vector = b.Vector()
	return nil
}

// pendingChange returns the change of a path since the last look, compared with the file's older name if there is one.
func (n *names) pendingChange(at moment.Moment, path string, now text) (*file, error) {
	if n.tree.store.last == nil {
		last, err := snapshot.Open(n.tree.ctx, n.tree.repo, snapshotState(n.tree.repo))
		if err != nil {
			return nil, fmt.Errorf("open snapshot state: %w", err)
		}
		n.tree.store.last = last
	}
	last := n.tree.store.last
	n.tree.passed = map[string]bool{path: last.PassedOver(path)}
	f := &file{path: path, oldPath: path, new: now}
	if entry, found := last.Lookup(path); found {
		var err error
		if f.old, err = n.tree.store.read(entry.Mode, entry.OID); err != nil {
			return nil, fmt.Errorf("read the last snapshot of the file: %w", err)
		}
		return f, nil
	}
	if n.older.changed == nil {
		n.older.changed = sync.OnceValues(func() ([]rename.Change, error) { return n.peek(0) })
	}
	changes, err := n.older.changed()
	if err != nil {
		return nil, fmt.Errorf("list what changed since the last snapshot: %w", err)
	}
	if err := n.nameBefore(at, changes, f); err != nil || f.oldPath == path {
		return f, err
	}
	others, err := n.rivals(path)
	if err != nil || len(others) == 0 {
		return f, err
	}
	f = &file{path: path, oldPath: path, new: now}
	files := slices.Concat(others, []*file{f})
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	return f, n.nameBefore(at, changes, files...)
}

// OlderNames finds the last seen names of renamed files in a work tree. It asks git once for all files.
type OlderNames struct {
	repo  *refs.Repo
	tree  *workTree // nil before the first question
	found map[string]string
}

// NewOlderNames returns the older names of the repository's work tree. It does no work before the first question.
func NewOlderNames(repo *refs.Repo) *OlderNames {
	return &OlderNames{repo: repo, found: map[string]string{}}
}

// `Of` returns the older name of a file that has a new name, "" if there is none. For example: a person ran mv a.txt
// b.txt, and the older name of b.txt is a.txt.
func (o *OlderNames) Of(ctx context.Context, path string) (string, error) {
	if older, done := o.found[path]; done || o.repo.Bare() {
		return older, nil
	}
	content, found := readWorkFile(o.repo, path)
	if !found {
		return "", nil
	}
	if o.tree == nil {
		tree, err := readWorkTree(ctx, o.repo)
		if err != nil {
			return "", err
		}
		o.tree = tree
	}
	t := newText(o.repo.Format.Hash(refs.BlobObject, content), content)
	f, err := o.tree.names.pendingChange(moment.LongAfter, path, t)
	if err != nil {
		return "", err
	}
	older := ""
	if f.oldPath != path {
		older = f.oldPath
	}
	o.found[path] = older
	return older, nil
}

// Close closes the files that the questions opened.
func (o *OlderNames) Close() {
	if o.tree != nil {
		o.tree.close()
	}
}

// carry carries the owners from the last snapshot of the path to its content, through git's later writes.
func (p *PendingLines) carry(j *judge, f *file) error {
	j.seen.askProcesses(j.tree.time)
	j.seen.gone()
	j.seen.changedBefore([]snapshot.Change{{Path: f.path, New: f.new.OID}})
	j.measure(f)
	seg := segment{from: f.old, to: f.new}
	if by, ok := j.tree.turnedUp(f.path, f.new.OID); ok {
		seg.decide = by
	} else if after, ok := j.afterHooks(f, j.tree.state.seen(f.path)); ok {
		seg.decide = after
	} else {
		seg.decide = j.decide(f.path)
	}
	change := vector.Compare(vector.Content{Lines: f.old.Lines, Owners: f.vec}, f.new.Lines)
	if _, err := j.tree.moves([]shifting{{change, f.old, f.new, f.path}}); err != nil {
		return err
	}
	found := (&weigher{tree: j.tree, judge: j, writer: "pending"}).weighPart(&part{file: f, seg: seg, change: change})
	p.open = map[events.PatchID]events.AnchorOwner{}
	since := map[events.PatchID]bool{}
	for _, runs := range found.runs {
		for _, run := range runs {
			if run.who.window != nil || len(run.who.candidates) > 0 {
				p.open[run.owner.Patch] = run.who.describe()
				continue
			}
			since[run.owner.Patch] = true
			for line := run.first; line < run.last && run.who.kind == events.OwnerUnknown; line++ {
				if found.result.Vector.At(line).Kind == events.OwnerUnknown {
					p.Doubts = unionLimits(p.Doubts, run.who.limits)
				}
			}
		}
	}
	p.Vector = found.result.Vector.Map(func(o vector.Owner) vector.Owner {
		if since[o.Patch] {
			o.Patch = ""
		}
		return o
	})
	return nil
}

// readNotes handles the notes of killed processes for a reader: it takes no boundary, and marks the changes since the
// last look as doubtful.
func (tree *workTree) readNotes() {
	entries, _ := os.ReadDir(spool.Dir(tree.repo)) // unreadable counts as missing
	for _, entry := range entries {
		if !tree.isLate(entry.Name(), time.Now()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(spool.Dir(tree.repo), entry.Name()))
		switch {
		case err != nil:
		case spool.SaysGitWrote(entry.Name(), raw):
			tree.restoredNow()
		default:
			tree.lose(events.LimitBoundaryLate)
		}
	}
	if recorded.MissedIn(tree.repo.GitDir, tree.state.Lost.Missed.Last).Hooks > 0 {
		tree.lose(events.LimitHookMissed)
	}
}

package trails

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// maxLineBytes limits the size of a content whose lines are followed; larger files are recorded as a whole.
const maxLineBytes = 64 << 20

// contents reads and keeps the contents of a work tree and of its repository.
type contents struct {
	ctx     context.Context
	repo    *refs.Repo
	objects *refs.Objects
	known   *ledger.Known
	owners  *ledger.Owners
	last    *snapshot.Engine // the last seen state, see findLast
	texts   texts
	unsaved map[refs.OID][]byte // see keep
}

// texts holds contents in memory while successive commits are anchored.
type texts struct {
	contents map[refs.OID][]byte
	kept     int // bytes
}

// origins finds the sources of contents.
type origins struct {
	tree  *workTree
	looks *looks                 // the looks of this step; nil for a reader
	began *looked                // see Engine; nil for a reader
	since map[int64]*origin.Work // git's actions since the look at some paths, by the interval of that look
}

// text is one content of a path.
type text = origin.Text

// file holds the changes of one path in an interval.
type file struct {
	path    string
	oldPath string // the path of the content before a rename, else path
	oldMode uint32
	newMode uint32
	old     text
	new     text
	vec     vector.Vector // owners of the old lines
	// reported is true if old or new is known only from a tool's report.
	reported bool
	from     []vector.Origin // the sources of the new lines, if git combined them
	// early is true if the change is older than the last look at the path, but not older than the last look at
	// everything.
	early bool
}

// withoutLines reports whether the change is not only about lines: a binary file, a new mode, a new name, or an empty
// file.
func (f *file) withoutLines() bool {
	modeChanged := f.oldMode != f.newMode && f.oldMode != 0 && f.newMode != 0
	renamed := f.oldPath != f.path && f.old.OID == f.new.OID
	return f.old.Whole || f.new.Whole || modeChanged || renamed || len(f.old.Lines)+len(f.new.Lines) == 0
}

// gather reads the contents of the changed paths and pairs renamed files.
func (wg *weigher) gather(changes []snapshot.Change) ([]*file, error) {
	var files []*file
	for _, c := range changes {
		f := &file{path: c.Path, oldPath: c.Path, oldMode: c.OldMode, newMode: c.NewMode}
		if c.PassedOver {
			if wg.tree.passed == nil {
				wg.tree.passed = map[string]bool{}
			}
			wg.tree.passed[c.Path] = true
		}
		var err error
		if f.old, err = wg.tree.store.read(c.OldMode, c.Old); err != nil {
			return nil, fmt.Errorf("read %s before the change: %w", strconv.Quote(c.Path), err)
		}
		if f.new, err = wg.tree.store.read(c.NewMode, c.New); err != nil {
			return nil, fmt.Errorf("read %s after the change: %w", strconv.Quote(c.Path), err)
		}
		files = append(files, f)
	}
	files, err := wg.tree.names.olderNames(&rename.Query{
		Moment: wg.tree.names.momentOfLook(), Tree: lookedAt{wg.looks}, Changes: changesOf(files),
		Stashes: gitfacts.Newer(wg.tree.now.Stashes, wg.tree.state.Git.Stashes),
	}, files)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.oldPath != f.path {
			wg.tree.store.known.Link(f.oldPath, f.path)
			wg.tree.state.moveShared(f.oldPath, f.path)
		}
		f.vec = wg.tree.origins.vectorOf(f.oldPath, f.old)
		if f.old.OID.IsZero() || f.old.Whole {
			continue
		}
		// Keep unknown owners too: git may bring the content back.
		wg.tree.store.known.Put(f.oldPath, f.old.OID, f.vec)
	}
	return files, nil
}

// read reads a content. A blob that can no longer be found is a content without lines, not a failure: the state may
// name a blob that only a pruned pack held.
func (c *contents) read(mode uint32, oid refs.OID) (text, error) {
	t := text{OID: oid}
	if oid.IsZero() {
		return t, nil
	}
	if mode == refs.ModeGitlink || mode == refs.ModeDir {
		t.Whole = true
		return t, nil
	}
	return readText(c.blob, oid)
}

func readText(read func(refs.OID) ([]byte, error), oid refs.OID) (text, error) {
	if oid.IsZero() {
		return text{}, nil
	}
	raw, err := read(oid)
	if missing(err) {
		return text{OID: oid, Whole: true}, nil
	}
	if err != nil {
		return text{OID: oid}, err
	}
	return newText(oid, raw), nil
}

// fileSeen returns a path as the last look saw it; the result `found` is false if there was no such file.
func (l *looks) fileSeen(path string) (t text, mode uint32, found bool, err error) {
	look := l.snap
	if look == nil {
		if !l.tree.store.findLast() {
			return t, 0, false, nil
		}
		look = l.tree.store.last
	}
	entry, found := look.Lookup(path)
	if !found || look.PassedOver(path) {
		return t, 0, false, nil
	}
	if t, err = l.tree.store.read(entry.Mode, entry.OID); err != nil {
		err = fmt.Errorf("read the last snapshot of the file: %w", err)
	}
	return t, entry.Mode, !t.Whole, err
}

// readWorkFile reads a regular file of the work tree whose lines can be followed. It does not open anything else, such
// as a pipe.
func readWorkFile(repo *refs.Repo, path string) ([]byte, bool) {
	name := filepath.Join(repo.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLineBytes {
		return nil, false
	}
	raw, err := refs.ReadFile(name)
	return raw, err == nil
}

// newText splits a content into lines unless git would call it binary.
func newText(oid refs.OID, raw []byte) text {
	t := text{OID: oid, Bytes: raw}
	if len(raw) > maxLineBytes || gitdiff.Binary(raw) {
		t.Whole = true
		return t
	}
	t.Lines = linediff.Split(raw)
	return t
}

// vectorOf returns the known owners of a content of a path.
func (o *origins) vectorOf(path string, t text) vector.Vector {
	return o.question(path).Owners(t)
}

// workAfter returns the facts about git's work after a mark.
func (o *origins) workAfter(mark gitfacts.Mark) *gitfacts.Work {
	return gitfacts.Between(o.tree.repo, o.tree.asks.Git, mark, o.tree.now)
}

func (o *origins) workSince(mark gitfacts.Mark, at int64) *origin.Work {
	w := &origin.Work{Work: o.workAfter(mark)}
	if o.tree.state.Interval == 0 {
		return w
	}
	sure := o.tree.state.RestoredAt > at || w.Wrote()
	w.Doubtful = !sure && w.MayHaveApplied()
	w.Restored = sure || w.Doubtful
	w.Elsewhere = !sure && mark.Index != o.tree.now.Index && len(otherWorkTrees(o.tree.repo)) > 0
	return w
}

// gitAt returns git's work since the last look at a path.
func (o *origins) gitAt(path string) *origin.Work {
	at := o.tree.seen(path)
	if w := o.since[at]; w != nil {
		return w
	}
	i := slices.IndexFunc(o.tree.state.Marks, func(m lookMark) bool { return m.At == at })
	if i < 0 {
		return o.tree.asks.Whole
	}
	if o.since == nil {
		o.since = map[int64]*origin.Work{}
	}
	o.since[at] = o.workSince(o.tree.state.Marks[i].Git, at)
	return o.since[at]
}

// newCase returns the common facts for all searches for origins.
func (o *origins) newCase() *origin.Case {
	store := o.tree.store
	return &origin.Case{World: o, Memory: store.known, Git: gitfacts.NewGit(store.ctx, store.repo, store.objects)}
}

// Text reads a content.
func (o *origins) Text(blob refs.OID) (origin.Text, error) {
	return o.tree.store.read(0, blob)
}

// Stored reports whether the repository may have a content.
func (o *origins) Stored(blob refs.OID) bool { return o.tree.store.objects.MayBeStored(blob) }

// LeftAlone reports whether git has not written a file since it was seen last.
func (o *origins) LeftAlone(path string) bool {
	return o.tree.store.findLast() && o.tree.store.last.LeftAlone(path)
}

// Young reports whether a commit may be newer than the last full snapshot.
func (o *origins) Young(commit refs.OID) bool { return o.began != nil && o.began.madeSince(o, commit) }

// Keep keeps a content that git made and no snapshot saw.
func (o *origins) Keep(raw []byte) origin.Text {
	t := newText(o.tree.repo.Format.Hash(refs.BlobObject, raw), raw)
	o.tree.store.keep(t)
	return t
}

// keep keeps a content that the repository may not have: it is stored beside it when the step ends.
func (c *contents) keep(t text) {
	c.unsaved[t.OID] = t.Bytes
}

// `save` stores the step's findings: first contents, then the data that names them.
func (c *contents) save() error {
	for _, oid := range slices.SortedFunc(maps.Keys(c.unsaved), refs.OID.Compare) {
		if _, err := c.repo.WriteLoose(c.repo.SideObjects(), refs.BlobObject, c.unsaved[oid]); err != nil {
			return fmt.Errorf("store a content: %w", err)
		}
	}
	clear(c.unsaved)
	if err := c.known.Save(); err != nil {
		return err
	}
	return c.owners.Save()
}

// question makes a query about the origin of a path's content. The content is not set yet.
func (o *origins) question(path string) *origin.Query {
	return &origin.Query{Case: o.tree.asks, Work: o.gitAt(path), Path: path, OldPath: path}
}

// questionOf makes the query for a changed file.
func (o *origins) questionOf(f *file) *origin.Query {
	q := o.question(f.path)
	q.OldPath, q.Old, q.New = f.oldPath, f.old, f.new
	q.Buffer, q.ByEditor = o.tree.state.bufferOf(f.path, f.old.OID), f.reported
	return q
}

// `committed` makes the query for a committed content.
func (o *origins) committed(m moment.Moment, c Committed) *origin.Query {
	q := c.question(o.tree.asks, o.gitAt(c.Path))
	q.Moment = m
	return q
}

func (c Committed) question(ask *origin.Case, work *origin.Work) *origin.Query {
	return &origin.Query{
		Case: ask, Work: work, Path: c.Path, OldPath: c.OldPath, Old: origin.Text{OID: c.Old},
		New: origin.Text{Lines: c.Lines}, Replaced: c.Replaced, Renamed: c.Renamed,
	}
}

// explain separates the files of an interval whose change has no new owner: a content that a tool announced, a content
// that the path had before, and, after git wrote to the work tree, a content from git.
//
// The result `back` lists the files among them that lost lines which no commit has.
func (wg *weigher) explain(files []*file) (rest, back []*file, err error) {
	for _, f := range files {
		was := *f
		explained, err := wg.tree.origins.explained(f, wg.judge.told(f.path))
		if err != nil {
			return nil, nil, err
		}
		if !explained {
			rest = append(rest, f)
		}
		if (explained || f.old.OID != was.old.OID) && len(files) <= maxNoted {
			if left := wg.noteLeft(&was); explained && left {
				back = append(back, f)
			}
		}
	}
	return rest, back, nil
}

// maxNoted limits the number of files of a look whose lost lines are noted although the change needed no owner: if
// there are more, git changed them.
const maxNoted = 64

// noteLeft notes the lines that a change without an owner removes: they may come back. The result `left` reports
// whether no commit has one of them.
func (wg *weigher) noteLeft(f *file) (left bool) {
	if f.old.Whole || f.new.Whole || f.old.OID.IsZero() {
		return false
	}
	lines := removed(f.old, linediff.Diff(f.old.Lines, f.new.Lines, linediff.Options{}).Hunks)
	if git := wg.tree.origins.gitAt(f.path); git.Restored {
		if blob, err := wg.tree.asks.Git.Blob(git.Before.Head, f.oldPath); err == nil && blob == f.old.OID {
			wg.tree.store.known.PutApart(f.oldPath, f.old.OID, lines)
			return false
		}
	}
	wg.tree.store.known.PutLeft(f.oldPath, f.old.OID, lines)
	return len(lines) > 0
}

// giving returns the lines that a file lost, with their owners. The file's change needs no owner, but other files may
// have the lines.
func (f *file) giving() shifting {
	change := vector.Compare(vector.Content{Lines: f.old.Lines, Owners: f.vec}, f.new.Lines)
	return shifting{change.Giving(), f.old, f.new, f.path}
}

// `removed` returns the lines that hunks remove.
func removed(from text, hunks []linediff.Hunk) [][]byte {
	var out [][]byte
	for _, h := range hunks {
		out = append(out, from.Lines[h.OldStart:h.OldStart+h.OldCount]...)
	}
	return out
}

// `explained` reports whether a change needs no owner. The parameter `reported` means that a tool reported the path
// before and after its edit.
func (o *origins) explained(f *file, reported bool) (bool, error) {
	if want, ok := o.tree.state.Notes.Expected[f.path]; ok && want == f.new.OID {
		delete(o.tree.state.Notes.Expected, f.path)
		return true, nil
	}
	q := o.questionOf(f)
	q.Reported = reported
	v, err := q.Judge()
	if err != nil {
		return false, err
	}
	if v.Explained || q.Work.Restored {
		o.tree.noteTaken(f)
	}
	if v.Explained {
		return true, nil
	}
	if v.Put != nil {
		f.old, f.oldPath, f.oldMode = *v.Put, f.path, f.newMode
		f.vec = o.vectorOf(f.path, f.old)
	}
	if f.from = v.From; f.from == nil {
		f.from = o.tree.names.fromNested(f)
	}
	return false, nil
}

// `missing` reports whether the repository does not have an object or a revision.
func missing(err error) bool { return errors.Is(err, refs.ErrMissing) }

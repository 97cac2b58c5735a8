package trails

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/spool"
	"github.com/git-trace/git-trace/trails/vector"
)

// View is the state of the timeline at a commit, under its lock.
type View struct {
	Known   *ledger.Known
	Owners  *ledger.Owners
	Objects *refs.Objects
	// Blob reads a content.
	Blob func(refs.OID) ([]byte, error)
	// Unseen returns the owner of a committed line that no earlier content has. A person owns it when no window was open
	// since the last snapshot of the path. A call owns it when only its window was open. The owner is unknown before the
	// first snapshot, and if another snapshot came in between.
	Unseen func(path string, line []byte) vector.Owner

	question func(Committed) *origin.Query
}

// Committed is a content of a commit.
type Committed struct {
	Path, OldPath string   // OldPath is its name in the parent
	Old           refs.OID // the content in the parent; no id for a new file
	Lines         [][]byte
	Replaced      refs.OID // the commit that git replaced with this one, as in a rebase
	// Renamed maps names in the new commit to the names that git finds in the replaced one.
	Renamed func() map[string]string
}

// Origins returns the sources of the lines of a committed content: its most likely former content, contents from which
// git may have taken lines, and earlier contents of the path.
func (v *View) Origins(c Committed) ([]vector.Origin, error) { return v.question(c).Lines() }

// view returns the view of commits at a moment. A line that no content has belongs to nobody.
func (o *origins) view(m moment.Moment) *View {
	store := o.tree.store
	return &View{
		Known: store.known, Owners: store.owners, Objects: store.objects, Blob: store.blob,
		Unseen:   func(string, []byte) vector.Owner { return vector.Unknown },
		question: func(c Committed) *origin.Query { return o.committed(m, c) },
	}
}

// AtCommit adds a commit to the timeline. First it settles the paths of the commit: a file that one shell call wrote
// and committed belongs to that call. Then the function `anchor` makes the events that record the commit, under the
// same lock. Lines that git brought are compared with the parent: a committed blob is always in HEAD, which is not
// evidence.
func (e *Engine) AtCommit(
	ctx context.Context, at time.Time, commit, parent refs.OID, paths []string,
	anchor func(*View) ([]events.Draft, error),
) error {
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		if slices.Contains(s.tree.state.Anchored, commit) {
			return nil
		}
		s.tree.state.Anchored = append(s.tree.state.Anchored, commit)
		h.env = events.Draft{Method: []events.Method{events.PostCommit}}
		h.over = s.seen.gone()
		seeded := s.tree.state.Interval == 0
		s.tree.asks.Anchored = origin.Anchored{Commit: commit, Parent: parent, Paths: paths}
		var wanted []string // nil for everything
		if len(h.over) == 0 || s.tree.asks.Whole.Restored {
			wanted = append([]string{}, paths...)
		}
		// A call's changes are found by the look at its end: later lines are a person's.
		if wanted == nil || len(wanted) > 0 {
			if err := s.lookAt(h, wanted, "commit"); err != nil {
				return err
			}
		}
		young := sync.OnceValue(func() bool { return e.began.madeSince(s.tree.origins, commit) })
		v := s.tree.origins.view(moment.Committed)
		v.Unseen = func(path string, line []byte) vector.Owner {
			who := nobody
			if by, ok := s.tree.turnedUp(path, refs.OID{}); ok {
				who = *by(line)
			} else if !seeded && young() {
				who = *s.judge(h).decideSince(path, e.began.state.seen(path))(line)
			}
			return s.write(h).ownerOf(who, patchSeed{interval: s.tree.interval, path: path, after: commit})
		}
		drafts, err := anchor(v)
		if err != nil {
			return err
		}
		s.write(h).add(drafts)
		return nil
	})
}

// madeSince reports whether a commit is newer than the last full snapshot before this process. For an older commit, the
// running calls of that time are no longer known.
func (began *looked) madeSince(o *origins, commit refs.OID) bool {
	return o.workAfter(began.git).MadeSince(commit)
}

// madeSinceLook reports whether a commit is newer than the last snapshot of a path before this process.
func (began *looked) madeSinceLook(o *origins, commit refs.OID, path string) bool {
	mark, at := began.git, began.state.seen(path)
	for _, look := range began.state.Marks {
		if look.At == at {
			mark = look.Git
		}
	}
	return o.workAfter(mark).MadeSince(commit)
}

// Touched notes that git wrote to the work tree. While a window is open, it takes a snapshot at once. So git's lines
// are distinguished from lines that the call writes later. Without a window, the next boundary takes it.
func (e *Engine) Touched(ctx context.Context, at time.Time, method events.Method, role string) error {
	return e.written(ctx, at, method, func(s *step, h *heard) error {
		if s.tree.state.Interval > 0 && len(s.tree.state.openWindows()) == 0 {
			return nil
		}
		return s.lookAt(h, nil, role)
	})
}

// Restored notes that git wrote some paths, and takes a snapshot at once: after a person changes these paths, it is
// unknown which paths git wrote, and from which commit.
func (e *Engine) Restored(ctx context.Context, at time.Time, method events.Method, role string) error {
	return e.written(ctx, at, method, func(s *step, h *heard) error { return s.lookAt(h, nil, role) })
}

// `written` notes that git wrote to the work tree, and takes a snapshot. If the snapshot fails, for example for lack of
// time, the note stays for the next step.
func (e *Engine) written(
	ctx context.Context, at time.Time, method events.Method, look func(*step, *heard) error,
) error {
	note := spool.AnnounceWrote(e.repo, at)
	err := e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{method}}
		h.over = s.seen.gone()
		if s.tree.state.Interval > 0 {
			s.tree.restoredNow()
		}
		return look(s, h)
	})
	if err != nil {
		note.Stay()
		return err
	}
	note.End()
	return nil
}

// lookAt looks at some paths, or at the whole work tree when paths is nil, and records what it finds.
func (s *step) lookAt(h *heard, paths []string, role string) error {
	o, err := s.look(h, paths)
	if err != nil || !o.found() {
		return err
	}
	return s.write(h).recordSnapshot(role, o)
}

// Origin takes the first snapshot of a work tree; it does nothing if there is one already.
func (e *Engine) Origin(ctx context.Context, at time.Time) error {
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.Manual}}
		if s.tree.state.Interval > 0 {
			return nil
		}
		return s.lookAt(h, nil, "origin")
	})
}

// AtRewrite adds commits to the timeline that git made from others, such as the picks of a rebase. Under the lock, the
// function `anchor` makes the events that record them. It does not look at the work tree: the lines come from the
// replaced commits and from their parents. A line that is in none of them belongs to nobody.
func (e *Engine) AtRewrite(
	ctx context.Context, at time.Time, commits []refs.OID, anchor func(*View) ([]events.Draft, error),
) error {
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.PostRewrite}}
		s.tree.store.texts.contents = map[refs.OID][]byte{}
		drafts, err := anchor(s.tree.origins.view(moment.Rewritten))
		if err != nil {
			return err
		}
		s.write(h).add(drafts)
		s.tree.state.Anchored = append(s.tree.state.Anchored, commits...)
		return nil
	})
}

// MadeOf returns the last seen content of a path. It counts only if git did nothing except commits until the given
// commit. Then git did not write to the work tree, so somebody edited that content.
func (o *origins) MadeOf(commit refs.OID, path string) (origin.Candidate, bool) {
	if !o.gitAt(path).OnlyCommitsUntil(commit) {
		return origin.Candidate{}, false
	}
	return o.tree.store.lastHeld(path)
}

// lastHeld returns the last seen content of a path. It does not look at the work tree, and does not change the state.
func (c *contents) lastHeld(path string) (origin.Candidate, bool) {
	if !c.findLast() {
		return origin.Candidate{}, false
	}
	entry, found := c.last.Lookup(path)
	return origin.Candidate{Path: path, Blob: entry.OID}, found
}

// findLast opens the state after the last look. It ignores a state that cannot be read.
func (c *contents) findLast() bool {
	if c.last == nil {
		eng, err := snapshot.Open(c.ctx, c.repo, snapshotState(c.repo))
		if err != nil {
			return false
		}
		c.last = eng
	}
	return true
}

// maxContents limits the total size, in bytes, of the contents that are kept while successive commits are anchored.
const maxContents = 16 << 20

// blob reads a content. If commits follow each other, the result of one is the base of the next.
func (c *contents) blob(oid refs.OID) ([]byte, error) {
	if raw, ok := c.unsaved[oid]; ok {
		return raw, nil
	}
	if raw, ok := c.texts.contents[oid]; ok {
		return raw, nil
	}
	raw, err := c.objects.Blob(oid)
	if err != nil || c.texts.contents == nil {
		return raw, err
	}
	if c.texts.kept += len(raw); c.texts.kept > maxContents {
		clear(c.texts.contents)
		c.texts.kept = len(raw)
	}
	c.texts.contents[oid] = raw
	return raw, nil
}

// Recall gives readers the remembered contents of the repository's timelines, long after a commit. It takes no lock and
// writes nothing. It is for one goroutine.
type Recall struct {
	repo    *refs.Repo
	objects *refs.Objects
	facts   gitfacts.Reader
	known   *ledger.Known
	owners  *ledger.Owners
	texts   map[refs.OID]origin.Text
	patches map[*byte][]events.PatchID // keyed by the address of a record
}

// NewRecall returns the remembered contents and owners. It reads them when they are needed.
func NewRecall(repo *refs.Repo, objects *refs.Objects) *Recall {
	return &Recall{
		repo: repo, objects: objects, facts: gitfacts.NewGit(context.Background(), repo, objects),
		known: ledger.NewKnown(repo), owners: ledger.NewOwners(repo),
		texts: map[refs.OID]origin.Text{}, patches: map[*byte][]events.PatchID{},
	}
}

// Remembers reports whether any content of a path is remembered.
func (r *Recall) Remembers(path string) bool { return len(r.Blobs(path, 1)) > 0 }

// Blobs lists the contents of a path that are remembered, the last one first, at most `limit`.
func (r *Recall) Blobs(path string, limit int) []refs.OID { return r.known.Blobs(path, limit) }

// View returns the view of a commit hook, but without facts about the work tree at that moment. The function `believe`
// reports whether a patch may have contributed to the commit. A content with a line of any other patch is younger, and
// is left out. Additions to the view's Known are lost with the view.
func (r *Recall) View(believe func(events.PatchID) bool) *View {
	known := r.known.Only(func(one *ledger.Record) bool {
		return !slices.ContainsFunc(r.patchesOf(one), func(id events.PatchID) bool { return !believe(id) })
	})
	ask := &origin.Case{World: &memory{Recall: r, known: known}, Memory: known, Git: r.facts}
	work := &origin.Work{Work: gitfacts.Between(r.repo, r.facts, gitfacts.Mark{}, gitfacts.Mark{})}
	return &View{
		Known: known, Owners: r.owners, Objects: r.objects, Blob: r.objects.Blob,
		Unseen: func(string, []byte) vector.Owner { return vector.Unknown },
		question: func(c Committed) *origin.Query {
			q := c.question(ask, work)
			q.Moment = moment.LongAfter
			return q
		},
	}
}

// patchesOf returns the patches that wrote the lines of a content.
func (r *Recall) patchesOf(one *ledger.Record) []events.PatchID {
	if len(one.Raw) == 0 {
		return nil
	}
	list, done := r.patches[&one.Raw[0]]
	if !done {
		v, _ := vector.Decode(one.Raw) // an unreadable vector has no owners
		for _, run := range v.Runs() {
			if run.Owner.Patch != "" && !slices.Contains(list, run.Owner.Patch) {
				list = append(list, run.Owner.Patch)
			}
		}
		r.patches[&one.Raw[0]] = list
	}
	return list
}

// A memory compares contents with the remembered ones. It has no other facts about the time of a commit.
type memory struct {
	origin.World // nil: long after a commit no other fact is needed
	*Recall
	known *ledger.Known // the remembered contents whose patches are believed
}

// Latest returns the remembered content that shares the most text with lines, in the same order. A partial commit was
// most likely made from it. A content that shares less than half is faint, unless it is as similar as a renamed file
// must be.
func (m *memory) Latest(path string, lines [][]byte) (origin.Candidate, bool) {
	want, size := rename.Count(lines), 0
	for key, n := range want {
		size += n * len(key)
	}
	best, most := origin.Candidate{}, 0
	left, inWords := origin.MaxEarlier, maxInWords
	for _, name := range append([]string{path}, m.known.Names(path)...) {
		blobs := m.known.Blobs(name, left)
		left -= len(blobs)
		for _, blob := range blobs {
			t, err := m.Text(blob)
			if err != nil || t.Whole || most == size {
				continue
			}
			if inWords--; inWords < 0 && atMostInCommon(want, t.Lines) <= most {
				continue
			}
			if n := inCommon(lines, t.Lines); n > most {
				trust := origin.Near
				if 2*n < size && rename.Alike(want, len(lines), rename.Count(t.Lines), len(t.Lines)) == 0 {
					trust = origin.Faint
				}
				best, most = origin.Candidate{Path: name, Blob: blob, Trust: trust}, n
			}
		}
	}
	return best, most > 0
}

// maxInWords limits the number of contents that are compared although they may have no line of the requested content: a
// formatter may have rewritten it.
const maxInWords = 4

// inCommon counts the bytes, without white space, of the lines that both texts share in the same order, in any form. A
// line in another place is weak evidence: any content of a path may have a `return nil`.
func inCommon(lines, other [][]byte) int {
	n := 0
	for line, from := range vector.Matches(vector.Content{Lines: other}, lines) {
		if from.Why != vector.Written && from.Why != vector.Moved {
			n += len(linediff.StripSpace(lines[line]))
		}
	}
	return n
}

// atMostInCommon counts the bytes, without white space, of the lines that both texts share, in any order.
func atMostInCommon(want map[string]int, lines [][]byte) int {
	left := map[string]int{}
	n := 0
	for _, l := range lines {
		key := string(linediff.StripSpace(l))
		if left[key] < want[key] {
			left[key]++
			n += len(key)
		}
	}
	return n
}

func (m *memory) Text(blob refs.OID) (origin.Text, error) {
	if t, ok := m.texts[blob]; ok {
		return t, nil
	}
	t, err := readText(m.objects.Blob, blob)
	if err == nil {
		m.texts[blob] = t
	}
	return t, err
}

// Latest returns the content that a path had when the timeline last saw it, if the commit is younger. For an older
// commit the content may be right too: its specific lines are then found among the earlier contents.
func (o *origins) Latest(path string, _ [][]byte) (origin.Candidate, bool) {
	if o.looks.snap == nil || !o.began.madeSinceLook(o, o.tree.asks.Commit, path) {
		return origin.Candidate{}, false
	}
	e, found := o.looks.snap.Lookup(path)
	return origin.Candidate{Path: path, Blob: e.OID}, found
}

package trails

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// An editor reports the text of its buffer when a person accepts a completion, and the text that they save. The buffer
// may differ from the file for hours. So the texts of the buffer count as contents of the path after the last seen
// content, even if they never reach the disk. A content that is saved later equals a buffer, or a person made it from
// one by typing (package origin, left). For example: a person types a line, accepts three more, and changes one of
// these before they save. Two lines belong to the completion.

// buffer describes the content of a path in an editor's buffer at the editor's last report.
type buffer struct {
	Key  string   // key of the path
	Seen refs.OID // the content of the file at that time
	Held refs.OID
}

// maxHeld limits the number of buffers that the state remembers.
const maxHeld = 64

// noteBuffer records the content of an editor's buffer, and the content that the file had at that moment (seen).
func (s *state) noteBuffer(path string, seen, held refs.OID) {
	key := nameKey(path)
	s.Notes.Buffers = slices.DeleteFunc(s.Notes.Buffers, func(b buffer) bool { return b.Key == key })
	s.Notes.Buffers = append(s.Notes.Buffers, buffer{key, seen, held})
	s.Notes.Buffers = s.Notes.Buffers[max(0, len(s.Notes.Buffers)-maxHeld):]
}

// bufferOf returns the text of an editor's buffer while the file had the content `seen`; no id if none is known.
func (s *state) bufferOf(path string, seen refs.OID) refs.OID {
	if len(s.Notes.Buffers) == 0 {
		return refs.OID{}
	}
	key := nameKey(path)
	i := slices.IndexFunc(s.Notes.Buffers, func(b buffer) bool { return b.Key == key && b.Seen == seen })
	if i < 0 {
		return refs.OID{}
	}
	return s.Notes.Buffers[i].Held
}

// ofEditor reports whether a boundary carries the text of an editor's buffer.
func ofEditor(kind events.BoundaryKind) bool { return kind == events.Completed || kind == events.Saved }

// takeBuffer takes an editor's report about its buffer. If `looks` is false, the work tree is not read now.
func (s *step) takeBuffer(h *heard, trace events.TraceID, b events.Boundary, looks bool) error {
	if b.Tool == nil || len(s.hear(h).toolPaths(b)) == 0 {
		return nil
	}
	w := &Window{Call: Call{Class: events.ToolEdits}, Says: sayings{Paths: s.hear(h).toolPaths(b)}}
	if b.Kind == events.Saved { // a person saved it: there is no conversation
		h.env = events.Draft{Method: h.env.Method}
		w.declare(s.tree.repo, b.Tool)
	} else {
		sess, adopted := s.hear(h).adopt(trace, b)
		sess.Idle = true // there are no turns
		s.hear(h).pair(sess, trace, &b)
		w = s.hear(h).newWindow(sess, trace, b)
		if err := s.write(h).number(); err != nil {
			return err
		}
		if adopted {
			if err := s.write(h).startSession(b, "adopted"); err != nil {
				return err
			}
		}
	}
	edits, fits, err := s.looks.placeEdits(w.Says.payload)
	if err != nil {
		return err
	}
	w.Says.payload = edits
	late, further := false, false // the file may have been saved since, with another text
	for _, d := range w.Says.payload {
		later, other, err := s.looks.savedSince(d)
		if err != nil {
			return err
		}
		late, further = late || later, further || other
		if _, _, found, err := s.looks.fileSeen(d.Path); err == nil && later && !found {
			h.editor.fresh = append(h.editor.fresh, completed{w, d})
		}
		if b.Kind == events.Saved {
			h.editor.saved = append(h.editor.saved, d)
		}
	}
	paths := w.Says.Paths
	if s.tree.state.Interval == 0 {
		paths = nil // nobody has looked yet
	}
	if looks && !late && fits {
		if _, err := s.look(h, paths); err != nil {
			return err
		}
	}
	if b.Kind == events.Completed {
		if err := s.write(h).opened(w); err != nil {
			return err
		}
	}
	for _, d := range w.Says.payload {
		o := &overtaken{step: s, heard: h, at: cmp.Or(b.Done, b.Time)}
		told, err := o.completed(w, d)
		if err == nil && !told {
			err = s.settle(h, func(wg *weigher) ([]finding, error) { return wg.settleBuffer(w, d, late) })
		}
		if err == nil && b.Kind == events.Saved {
			err = o.person(d)
		}
		if err != nil {
			return err
		}
	}
	// A text that was saved after a completion is reported later. So is a text that goes beyond the saved one: it may hold
	// another completion. A file that nobody has seen is read now.
	if looks && late && (b.Kind == events.Saved && !further || len(h.editor.fresh) > 0) {
		if _, err := s.look(h, paths); err != nil {
			return err
		}
	}
	if !fits {
		s.tree.lose(events.LimitPayloadMismatch)
	}
	if b.Kind == events.Saved {
		return nil
	}
	s.tree.state.Windows = append(s.tree.state.Windows, w)
	if err := s.write(h).recordEnds([]ending{{window: w, status: "done"}}); err != nil {
		return err
	}
	// the call writes nothing more
	s.tree.state.Windows = slices.DeleteFunc(s.tree.state.Windows, func(o *Window) bool { return o == w })
	return nil
}

// `unborn` reports whether a path has no file yet and git would not ignore such a file.
func (c *contents) unborn(path string) bool {
	if _, err := os.Lstat(filepath.Join(c.repo.WorkTree, filepath.FromSlash(path))); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return !c.ignores(path)
}

// `ignores` reports whether git ignores a path. It is true if git cannot say.
func (c *contents) ignores(path string) bool {
	var failed *refs.GitError
	_, err := c.repo.Git(c.ctx, nil, "check-ignore", "-q", "--", path)
	return !errors.As(err, &failed) || failed.Code != 1 // git-check-ignore(1): it is not ignored
}

// savedSince reports whether the file has changed since the last look, and is nearer to the buffer after the event than
// to the buffer before it. Then the event came late, and the file was made from that buffer. The result `further`
// reports whether the buffer differs from the saved text.
func (l *looks) savedSince(d declared) (late, further bool, err error) {
	was, _, found, err := l.fileSeen(d.Path)
	raw, readable := readWorkFile(l.tree.repo, d.Path)
	if err != nil || !readable || d.Before == nil {
		return false, false, err
	}
	now := newText(l.tree.repo.Format.Hash(refs.BlobObject, raw), raw)
	if now.OID == was.OID || now.Whole {
		return false, false, nil
	}
	before := l.tree.store.reportedText(*d.Before, now)
	if d.After == nil {
		return found, before.OID != now.OID, nil
	}
	return origin.Nearer(now.Lines, l.tree.store.reportedText(*d.After, now).Lines, before.Lines), false, nil
}

// settleBuffer settles the texts of a buffer: the text before a completion and the text after it. A saved buffer has
// only one text. Differences from the last seen content were written in the editor: a shell did not write them, unless
// the file has changed since.
func (wg *weigher) settleBuffer(w *Window, d declared, late bool) ([]finding, error) {
	was, mode, found, err := wg.looks.fileSeen(d.Path)
	if err != nil || d.Before == nil || !found && !wg.tree.store.unborn(d.Path) {
		return nil, err
	}
	f := &file{path: d.Path, oldPath: d.Path, oldMode: mode, newMode: mode, old: was, reported: true}
	if !found {
		f.newMode = refs.ModeFile
	}
	f.vec = wg.tree.origins.vectorOf(f.path, was)
	f.new = wg.tree.store.reportedText(*d.Before, was)
	latest := f.new
	if d.After != nil {
		latest = wg.tree.store.reportedText(*d.After, was)
	}
	if f.new.Whole || latest.Whole {
		return nil, nil
	}
	explained := f.new.OID == f.old.OID
	if !explained {
		if explained, err = wg.tree.origins.explained(f, wg.judge.told(f.path)); err != nil {
			return nil, err
		}
	}
	if explained {
		f.old, f.vec = f.new, wg.tree.origins.vectorOf(f.path, f.new)
	}
	wg.judge.measure(f)
	var outside []*Window
	for _, other := range wg.tree.state.Windows {
		if !late && other.Call.Class != events.ToolEdits {
			outside = append(outside, other)
		}
	}
	var chain []segment
	if f.old.OID != f.new.OID {
		chain = append(chain, segment{from: f.old, to: f.new, origins: f.from, said: lineWriters(d),
			decide: wg.judge.decideSince(f.path, wg.tree.seen(f.path), append(outside, w)...)})
	}
	if f.new.OID != latest.OID {
		chain = append(chain, segment{from: f.new, to: latest, decide: always(byWindow(w, f.path))})
	}
	wg.tree.state.noteBuffer(f.path, was.OID, latest.OID)
	if len(chain) == 0 {
		return nil, nil
	}
	f.new, f.from = latest, nil
	out, err := wg.settleFiles([]*file{f}, func(*file) ([]segment, error) { return chain, nil })
	if err != nil {
		return nil, err
	}
	hunks := linediff.Diff(latest.Lines, was.Lines, linediff.Options{}).Hunks
	wg.tree.store.known.PutLeft(f.path, latest.OID, removed(latest, hunks))
	return out, nil
}

// saidIn returns the writers of lines of a saved content, according to an editor.
func (cut *cutter) saidIn(f *file) map[int]*actor {
	for _, d := range cut.judge.heard.editor.saved {
		if d.Path == f.path && cut.tree.store.reportedText(*d.Before, f.new).OID == f.new.OID {
			return lineWriters(d)
		}
	}
	return nil
}

// lineWriters returns the writers of lines of a buffer, according to an editor.
func lineWriters(d declared) map[int]*actor {
	out := map[int]*actor{}
	add := func(runs []events.LineRun, who *actor) {
		for _, run := range runs {
			for line := max(run.First, 1); line <= run.Last && len(out) < maxTyped; line++ {
				out[line-1] = who
			}
		}
	}
	add(d.put, &paster)
	add(d.typed, &typist)
	return out
}

// maxTyped limits the number of lines that an editor says a person typed between two of its events.
const maxTyped = 100000

// An editor reports after the fact. An agent's hook or a commit may read the file before that. Such a look gave the
// lines to a person, because no other writer was known. The report replaces that evidence, as an agent's own record
// does (testify.go). Its lines get their owner in the content that was read, and in the contents and commits that
// followed. For example: a person accepts a line, saves and commits, and the editor reports it then.

// overtaken holds an editor's report about a file that a hook or a commit has read in the meantime.
type overtaken struct {
	step  *step
	heard *heard
	at    time.Time // when the person did it
	log   *retelling
}

// longestLook is the longest time from the beginning of a hook to its look.
const longestLook = 2 * time.Second

// `completed` makes a completion the owner of its lines, if a look saw these lines before the report came. It returns
// false if no look saw them.
func (o *overtaken) completed(w *Window, d declared) (bool, error) {
	s := o.step
	now, _, found, err := s.looks.fileSeen(d.Path)
	if err != nil || !found || d.Before == nil || d.After == nil {
		return false, err
	}
	before, after := s.tree.store.reportedText(*d.Before, now), s.tree.store.reportedText(*d.After, now)
	if before.Whole || after.Whole || !origin.Nearer(now.Lines, after.Lines, before.Lines) {
		return false, nil
	}
	if err := o.read(); err != nil {
		return false, err
	}
	looked, then := o.log.lookedSince(d.Path, now, o.at.Add(-longestLook))
	if looked == nil {
		return false, nil
	}
	old, err := s.tree.store.read(0, then.before)
	if err != nil || old.Whole {
		return false, err
	}
	f := &file{path: d.Path, oldPath: d.Path, old: old, new: now, vec: s.tree.origins.vectorOf(d.Path, old)}
	by := s.weigh(o.heard).weighed(f, []segment{
		{from: old, to: before, decide: always(person), said: lineWriters(d)},
		{from: before, to: after, decide: always(byWindow(w, d.Path))},
		{from: after, to: now, decide: always(person)},
	})
	return true, o.log.correct(looked, func(line int, was events.AnchorOwner) *actor {
		who, made := by[f.vec.At(line).Patch]
		switch {
		case !made || was.Kind != events.OwnerUnknown && (was.Kind != events.OwnerHuman || was.Evidence == events.SeenTyping):
			return nil
		case who.seen, who.window != nil && who.window.same(w.Call.Trace, w.Call.ID),
			len(who.limits) > 0 && was.Kind == events.OwnerHuman && len(was.Limits) == 0:
			return &who
		}
		return nil
	})
}

// `weighed` carries the owners of a file through segments, and returns the writer of each patch.
func (wg *weigher) weighed(f *file, chain []segment) map[events.PatchID]actor {
	by := map[events.PatchID]actor{}
	for i, seg := range chain {
		if seg.from.OID == seg.to.OID {
			continue
		}
		change := vector.Compare(vector.Content{Lines: seg.from.Lines, Owners: f.vec}, seg.to.Lines)
		found := wg.weighPart(&part{file: f, seg: seg, index: i, change: change})
		for _, runs := range found.runs {
			for _, run := range runs {
				wg.tree.store.note(run.who)
				by[run.owner.Patch] = run.who
			}
		}
		f.vec = found.result.Vector
	}
	return by
}

// person makes a person the owner of lines that an editor saw them type, in a content that a look has already seen. For
// example: a command runs while a person saves, and its end is reported before the save. Lines of a completion that a
// person changed keep the owner from the completion's report.
func (o *overtaken) person(d declared) error {
	s := o.step
	now, _, _, err := s.looks.fileSeen(d.Path)
	said := lineWriters(d)
	if err != nil || d.Before == nil || len(said) == 0 {
		return err
	}
	saved := s.tree.store.reportedText(*d.Before, now)
	vec, known := s.tree.store.known.Get(d.Path, saved.OID)
	if !known || vec.Len() != len(saved.Lines) {
		return nil
	}
	is := func(line int, was events.AnchorOwner) *actor {
		stays := was.Kind == events.OwnerMixed || was.Evidence == events.SeenTyping || was.Tool == events.ToolCompletion
		if who := said[line]; who != nil && !stays && len(bytes.TrimSpace(saved.Lines[line])) > 0 &&
			(who.seen || was.Kind == events.OwnerHuman && len(was.Limits) == 0) {
			return who
		}
		return nil
	}
	for line := range saved.Lines {
		if is(line, s.tree.store.describe(vec.At(line))) == nil {
			continue
		}
		if err := o.read(); err != nil {
			return err
		}
		looked, _ := o.log.lookedSince(d.Path, saved, time.Time{})
		if looked == nil {
			looked = &interval{path: d.Path, after: saved.OID, number: s.tree.interval}
		}
		return o.log.correct(looked, is)
	}
	return nil
}

// read reads the log, back to a moment shortly before the person's action.
func (o *overtaken) read() error {
	by := o.heard.within()
	by.env.Method = []events.Method{events.EditorLate}
	t := &testimony{repo: o.step.tree.repo, calls: []*Told{{Began: o.at}}, step: o.step, by: by}
	o.log = newRetelling(t)
	return t.listen(o.step.tree.ctx, o.step.engine.log)
}

// `describe` names the owner of a line.
func (c *contents) describe(o vector.Owner) events.AnchorOwner {
	if o.Patch == "" {
		return events.AnchorOwner{Kind: o.Kind}
	}
	return c.owners.Describe(o.Patch)
}

// lookedSince returns the latest change that led to a content of a path, and the first one of its chain of changes
// after a moment; nil if nobody has looked since then.
func (r *retelling) lookedSince(path string, now text, moment time.Time) (latest, first *interval) {
	at := now.OID
	for i := len(r.log.changes) - 1; i >= 0; i-- {
		if in := r.log.changes[i]; in.path == path && in.after == at && in.at.After(moment) {
			if latest == nil {
				latest = in
			}
			first, at = in, in.before
		}
	}
	return latest, first
}

// `correct` gives lines of a content to other owners. The function `is` returns the new owner of a line, or nil if the
// present owner stays.
func (r *retelling) correct(in *interval, is func(line int, was events.AnchorOwner) *actor) error {
	vec, known := r.log.step.tree.store.known.Get(in.path, in.after)
	if !known {
		return nil
	}
	for start := 0; start < vec.Len(); {
		from := vec.At(start)
		who := is(start, r.log.step.tree.store.describe(from))
		end := start + 1
		for end < vec.Len() && vec.At(end) == from && same(who, is(end, r.log.step.tree.store.describe(from))) {
			end++
		}
		if who != nil {
			if err := r.give(in, start, end, from, *who); err != nil {
				return err
			}
		}
		start = end
	}
	return r.anchorAnew()
}

// `same` reports whether two actors are equal.
func same(a, b *actor) bool {
	return (a == nil) == (b == nil) && (a == nil || a.key() == b.key())
}

package trails

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
)

// An editor tells what its buffer held when a person accepted a completion, and what they saved. The buffer may differ
// from the file for hours. So the texts of the buffer are settled as contents of the path that follow the last one
// seen, whether they ever get to the disk or not. A content that is saved later is that of a buffer, or is made of one
// by typing (package origin, left). For example: a person types a line and accepts three more, and changes one of these
// before they save. Two of them are the completion's.

// buffer is what an editor's buffer of a path held when it was told of last.
type buffer struct {
	Key  string   // of the path
	Seen refs.OID // what the file was seen with at that time
	Held refs.OID
}

// maxHeld bounds the buffers that the state remembers.
const maxHeld = 64

// noteBuffer notes what a buffer held while the file had a content.
func (s *state) noteBuffer(path string, seen, held refs.OID) {
	key := nameKey(path)
	s.Notes.Buffers = slices.DeleteFunc(s.Notes.Buffers, func(b buffer) bool { return b.Key == key })
	s.Notes.Buffers = append(s.Notes.Buffers, buffer{key, seen, held})
	s.Notes.Buffers = s.Notes.Buffers[max(0, len(s.Notes.Buffers)-maxHeld):]
}

// bufferOf returns what the buffer of a path held since the file was seen with a content; no id if nothing was told.
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

// ofEditor reports whether an editor tells of its buffer at a boundary.
func ofEditor(kind events.BoundaryKind) bool { return kind == events.Completed || kind == events.Saved }

// takeBuffer takes what an editor tells of its buffer. If looks is false, nobody looks at the work tree now.
func (s *step) takeBuffer(h *heard, trace events.TraceID, b events.Boundary, looks bool) error {
	if b.Tool == nil || len(s.hear(h).toolPaths(b)) == 0 {
		return nil
	}
	w := &Window{Call: Call{Class: events.ToolEdits}, Says: sayings{Paths: s.hear(h).toolPaths(b)}}
	if b.Kind == events.Saved { // of a person, not of a conversation
		h.env = events.Draft{Method: h.env.Method}
		w.declare(s.tree.repo, b.Tool)
	} else {
		sess, adopted := s.hear(h).adopt(trace, b)
		sess.Idle = true // there are no turns
		s.hear(h).pair(sess, trace, &b)
		var err error
		if w, err = s.hear(h).newWindow(sess, trace, b); err != nil {
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
	late, further := false, false // the file may have been saved since, and with another text
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
		if err := s.weigh(h).settleBuffer(w, d, late); err != nil {
			return err
		}
	}
	// What was saved after a completion is told of later, and so is a text that is further than the saved one: it may hold
	// another completion. A file that nobody has seen is looked at.
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
	// it writes nothing more
	s.tree.state.Windows = slices.DeleteFunc(s.tree.state.Windows, func(o *Window) bool { return o == w })
	return nil
}

// completed is a completion in a file that nobody had seen and that was saved before the word of it came.
type completed struct {
	window *Window
	said   declared
}

// completions cuts the first content of a file where completions of it were told of.
func (cut *cutter) completions(f *file) (chain []segment) {
	at := f.old
	aside := cut.judge.decideSince(f.path, cut.tree.seen(f.path))
	add := func(to text, by decision, typed map[int]bool) {
		if at.oid != to.oid {
			chain = append(chain, segment{from: at, to: to, decide: by, typed: typed})
		}
		at = to
	}
	for _, one := range cut.judge.heard.editor.fresh {
		if one.said.Path == f.path && !f.new.whole {
			add(cut.tree.store.reportedText(*one.said.Before, f.new), aside, typedLines(one.said.typed))
			add(cut.tree.store.reportedText(*one.said.After, f.new), always(byWindow(one.window, f.path)), nil)
		}
	}
	if len(chain) > 0 {
		add(f.new, aside, nil)
	}
	return chain
}

// fileSeen returns a path as it was looked at last; found is false if there was no such file.
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
	return t, entry.Mode, !t.whole, err
}

// unborn reports whether a path has no file yet, and git would not ignore one.
func (c *contents) unborn(path string) bool {
	if _, err := os.Lstat(filepath.Join(c.repo.WorkTree, filepath.FromSlash(path))); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	var failed *refs.GitError
	_, err := c.repo.Git(c.ctx, nil, "check-ignore", "-q", "--", path)
	return errors.As(err, &failed) && failed.Code == 1 // git-check-ignore(1): it is not ignored
}

// savedSince reports whether the file has changed since it was looked at, and is nearer to the buffer after the event
// than before it. The event has come late then, and the file is made of that buffer. Further tells whether it has
// another text than the one that was saved.
func (l *looks) savedSince(d declared) (late, further bool, err error) {
	was, _, found, err := l.fileSeen(d.Path)
	raw, readable := readWorkFile(l.tree.repo, d.Path)
	if err != nil || !readable || d.Before == nil {
		return false, false, err
	}
	now := newText(l.tree.repo.Format.Hash(refs.BlobObject, raw), raw)
	if now.oid == was.oid || now.whole {
		return false, false, nil
	}
	before := l.tree.store.reportedText(*d.Before, now)
	if d.After == nil {
		return found, before.oid != now.oid, nil
	}
	return origin.Nearer(now.lines, l.tree.store.reportedText(*d.After, now).lines, before.lines), false, nil
}

// settleBuffer settles the texts of a buffer: the one that the completion found, and the one that it left. A saved one
// has only the first. What differs from the last content seen was written in the editor: a shell has not written it,
// unless the file has changed since.
func (wg *weigher) settleBuffer(w *Window, d declared, late bool) error {
	was, mode, found, err := wg.looks.fileSeen(d.Path)
	if err != nil || d.Before == nil || !found && !wg.tree.store.unborn(d.Path) {
		return err
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
	if f.new.whole || latest.whole {
		return nil
	}
	explained := f.new.oid == f.old.oid
	if !explained {
		if explained, err = wg.tree.origins.explained(f); err != nil {
			return err
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
	if f.old.oid != f.new.oid {
		chain = append(chain, segment{from: f.old, to: f.new, origins: f.from, typed: typedLines(d.typed),
			decide: wg.judge.decideSince(f.path, wg.tree.seen(f.path), append(outside, w)...)})
	}
	if f.new.oid != latest.oid {
		chain = append(chain, segment{from: f.new, to: latest, decide: always(byWindow(w, f.path))})
	}
	wg.tree.state.noteBuffer(f.path, was.oid, latest.oid)
	if len(chain) == 0 {
		return wg.retype(f, typedLines(d.typed))
	}
	f.new, f.from = latest, nil
	if err := wg.settleFiles([]*file{f}, func(*file) []segment { return chain }); err != nil {
		return err
	}
	hunks := linediff.Diff(latest.lines, was.lines, linediff.Options{}).Hunks
	return wg.tree.store.known.PutLeft(f.path, latest.oid, removed(latest, hunks))
}

// retype gives lines of a content whose owners are known to the person whom an editor saw type them. Another boundary
// came between the saving and the word of it. For example: a command is at work while a person saves, and its end is
// told before. Lines of a completion that a person changed are as they were taken then.
func (wg *weigher) retype(f *file, typed map[int]bool) error {
	f.vec = wg.tree.origins.vectorOf(f.path, f.new)
	var without []byte
	left := 0
	for line, content := range f.new.lines {
		owner := f.vec.At(line)
		wrong := owner.Kind == events.OwnerUnknown ||
			owner.Kind == events.OwnerAI && wg.tree.store.owners.Describe(owner.Patch).Tool != events.ToolCompletion
		if !wrong || !typed[line] || len(bytes.TrimSpace(content)) == 0 {
			without = append(append(without, content...), '\n')
			left++
		}
	}
	if left == len(f.new.lines) {
		return nil
	}
	between := newText(wg.tree.repo.Format.Hash(refs.BlobObject, without), without)
	f.old, f.from = f.new, nil
	return wg.settleFiles([]*file{f}, func(*file) []segment {
		return []segment{
			{from: f.new, to: between, decide: always(typist)},
			{from: between, to: f.new, decide: always(typist)},
		}
	})
}

// typedIn returns the lines of a saved content that an editor saw a person type.
func (cut *cutter) typedIn(f *file) map[int]bool {
	for _, d := range cut.judge.heard.editor.saved {
		if d.Path == f.path && cut.tree.store.reportedText(*d.Before, f.new).oid == f.new.oid {
			return typedLines(d.typed)
		}
	}
	return nil
}

func typedLines(runs []events.LineRun) map[int]bool {
	out := map[int]bool{}
	for _, run := range runs {
		for line := max(run.First, 1); line <= run.Last && len(out) < maxTyped; line++ {
			out[line-1] = true
		}
	}
	return out
}

// maxTyped bounds the lines that an editor says a person typed between two of its events.
const maxTyped = 100000

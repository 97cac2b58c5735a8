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
	s.Buffers = slices.DeleteFunc(s.Buffers, func(b buffer) bool { return b.Key == key })
	s.Buffers = append(s.Buffers, buffer{key, seen, held})
	s.Buffers = s.Buffers[max(0, len(s.Buffers)-maxHeld):]
}

// bufferOf returns what the buffer of a path held since the file was seen with a content; no id if nothing was told.
func (s *state) bufferOf(path string, seen refs.OID) refs.OID {
	if len(s.Buffers) == 0 {
		return refs.OID{}
	}
	key := nameKey(path)
	i := slices.IndexFunc(s.Buffers, func(b buffer) bool { return b.Key == key && b.Seen == seen })
	if i < 0 {
		return refs.OID{}
	}
	return s.Buffers[i].Held
}

// ofEditor reports whether an editor tells of its buffer at a boundary.
func ofEditor(kind events.BoundaryKind) bool { return kind == events.Completed || kind == events.Saved }

// takeBuffer takes what an editor tells of its buffer. If looks is false, nobody looks at the work tree now.
func (s *step) takeBuffer(trace events.TraceID, b events.Boundary, looks bool) error {
	if b.Tool == nil || len(s.toolPaths(b)) == 0 {
		return nil
	}
	w := &Window{Class: events.ToolEdits, Paths: s.toolPaths(b)}
	if b.Kind == events.Saved { // of a person, not of a conversation
		s.env = events.Draft{Method: s.env.Method}
		w.declare(s.repo, b.Tool)
	} else {
		sess, adopted := s.adopt(trace, b)
		sess.Idle = true // there are no turns
		s.pair(sess, trace, &b)
		var err error
		if w, err = s.newWindow(sess, trace, b); err != nil {
			return err
		}
		if adopted {
			if err := s.startSession(b, "adopted"); err != nil {
				return err
			}
		}
	}
	edits, fits, err := s.placeEdits(w.payload)
	if err != nil {
		return err
	}
	w.payload = edits
	late, further := false, false // the file may have been saved since, and with another text
	for _, d := range w.payload {
		later, other, err := s.savedSince(d)
		if err != nil {
			return err
		}
		late, further = late || later, further || other
		if _, _, found, err := s.fileSeen(d.Path); err == nil && later && !found {
			s.fresh = append(s.fresh, completed{w, d})
		}
		if b.Kind == events.Saved {
			s.saved = append(s.saved, d)
		}
	}
	paths := w.Paths
	if s.state.Interval == 0 {
		paths = nil // nobody has looked yet
	}
	if looks && !late && fits {
		if _, err := s.look(paths); err != nil {
			return err
		}
	}
	if b.Kind == events.Completed {
		err := s.draft(events.WindowOpened, s.windowData(w, ""), func(d *events.Draft) { d.Limits = w.Limits })
		if err != nil {
			return err
		}
	}
	for _, d := range w.payload {
		if err := s.settleBuffer(w, d, late); err != nil {
			return err
		}
	}
	// What was saved after a completion is told of later, and so is a text that is further than the saved one: it may hold
	// another completion. A file that nobody has seen is looked at.
	if looks && late && (b.Kind == events.Saved && !further || len(s.fresh) > 0) {
		if _, err := s.look(paths); err != nil {
			return err
		}
	}
	if !fits {
		s.lose(events.LimitPayloadMismatch)
	}
	if b.Kind == events.Saved {
		return nil
	}
	s.state.Windows = append(s.state.Windows, w)
	if err := s.recordEnds([]ending{{window: w, status: "done"}}); err != nil {
		return err
	}
	s.state.Windows = slices.DeleteFunc(s.state.Windows, func(o *Window) bool { return o == w }) // it writes nothing more
	return nil
}

// completed is a completion in a file that nobody had seen and that was saved before the word of it came.
type completed struct {
	window *Window
	said   declared
}

// completions cuts the first content of a file where completions of it were told of.
func (s *step) completions(f *file) (chain []segment) {
	at := f.old
	aside := s.decideSince(f.path, s.seen(f.path))
	add := func(to text, by decision, typed map[int]bool) {
		if at.oid != to.oid {
			chain = append(chain, segment{from: at, to: to, decide: by, typed: typed})
		}
		at = to
	}
	for _, one := range s.fresh {
		if one.said.Path == f.path && !f.new.whole {
			add(s.reportedText(*one.said.Before, f.new), aside, typedLines(one.said.typed))
			add(s.reportedText(*one.said.After, f.new), always(byWindow(one.window, f.path)), nil)
		}
	}
	if len(chain) > 0 {
		add(f.new, aside, nil)
	}
	return chain
}

// fileSeen returns a path as it was looked at last; found is false if there was no such file.
func (s *step) fileSeen(path string) (t text, mode uint32, found bool, err error) {
	look := s.snap
	if look == nil {
		if !s.findLast() {
			return t, 0, false, nil
		}
		look = s.last
	}
	entry, found := look.Lookup(path)
	if !found || look.PassedOver(path) {
		return t, 0, false, nil
	}
	if t, err = s.read(entry.Mode, entry.OID); err != nil {
		err = fmt.Errorf("read the last snapshot of the file: %w", err)
	}
	return t, entry.Mode, !t.whole, err
}

// unborn reports whether a path has no file yet, and git would not ignore one.
func (s *step) unborn(path string) bool {
	if _, err := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(path))); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	var failed *refs.GitError
	_, err := s.repo.Git(s.ctx, nil, "check-ignore", "-q", "--", path)
	return errors.As(err, &failed) && failed.Code == 1 // git-check-ignore(1): it is not ignored
}

// savedSince reports whether the file has changed since it was looked at, and is nearer to the buffer after the event
// than before it. The event has come late then, and the file is made of that buffer. Further tells whether it has
// another text than the one that was saved.
func (s *step) savedSince(d declared) (late, further bool, err error) {
	was, _, found, err := s.fileSeen(d.Path)
	raw, readable := readWorkFile(s.repo, d.Path)
	if err != nil || !readable || d.Before == nil {
		return false, false, err
	}
	now := newText(s.repo.Format.Hash(refs.BlobObject, raw), raw)
	if now.oid == was.oid || now.whole {
		return false, false, nil
	}
	before := s.reportedText(*d.Before, now)
	if d.After == nil {
		return found, before.oid != now.oid, nil
	}
	return origin.Nearer(now.lines, s.reportedText(*d.After, now).lines, before.lines), false, nil
}

// settleBuffer settles the texts of a buffer: the one that the completion found, and the one that it left. A saved one
// has only the first. What differs from the last content seen was written in the editor: a shell has not written it,
// unless the file has changed since.
func (s *step) settleBuffer(w *Window, d declared, late bool) error {
	was, mode, found, err := s.fileSeen(d.Path)
	if err != nil || d.Before == nil || !found && !s.unborn(d.Path) {
		return err
	}
	f := &file{path: d.Path, oldPath: d.Path, oldMode: mode, newMode: mode, old: was, reported: true}
	if !found {
		f.newMode = refs.ModeFile
	}
	f.vec = s.vectorOf(f.path, was)
	f.new = s.reportedText(*d.Before, was)
	latest := f.new
	if d.After != nil {
		latest = s.reportedText(*d.After, was)
	}
	if f.new.whole || latest.whole {
		return nil
	}
	explained := f.new.oid == f.old.oid
	if !explained {
		if explained, err = s.explained(f); err != nil {
			return err
		}
	}
	if explained {
		f.old, f.vec = f.new, s.vectorOf(f.path, f.new)
	}
	s.measure(f)
	var outside []*Window
	for _, other := range s.state.Windows {
		if !late && other.Class != events.ToolEdits {
			outside = append(outside, other)
		}
	}
	var chain []segment
	if f.old.oid != f.new.oid {
		chain = append(chain, segment{from: f.old, to: f.new, origins: f.from, typed: typedLines(d.typed),
			decide: s.decideSince(f.path, s.seen(f.path), append(outside, w)...)})
	}
	if f.new.oid != latest.oid {
		chain = append(chain, segment{from: f.new, to: latest, decide: always(byWindow(w, f.path))})
	}
	s.state.noteBuffer(f.path, was.oid, latest.oid)
	if len(chain) == 0 {
		return s.retype(f, typedLines(d.typed))
	}
	f.new, f.from = latest, nil
	if err := s.settleFiles([]*file{f}, func(*file) []segment { return chain }); err != nil {
		return err
	}
	hunks := linediff.Diff(latest.lines, was.lines, linediff.Options{}).Hunks
	return s.known.PutLeft(f.path, latest.oid, removed(latest, hunks))
}

// retype gives lines of a content whose owners are known to the person whom an editor saw type them. Another boundary
// came between the saving and the word of it. For example: a command is at work while a person saves, and its end is
// told before. Lines of a completion that a person changed are as they were taken then.
func (s *step) retype(f *file, typed map[int]bool) error {
	f.vec = s.vectorOf(f.path, f.new)
	var without []byte
	left := 0
	for line, content := range f.new.lines {
		owner := f.vec.At(line)
		wrong := owner.Kind == events.OwnerUnknown ||
			owner.Kind == events.OwnerAI && s.owners.Describe(owner.Patch).Tool != events.ToolCompletion
		if !wrong || !typed[line] || len(bytes.TrimSpace(content)) == 0 {
			without = append(append(without, content...), '\n')
			left++
		}
	}
	if left == len(f.new.lines) {
		return nil
	}
	between := newText(s.repo.Format.Hash(refs.BlobObject, without), without)
	f.old, f.from = f.new, nil
	return s.settleFiles([]*file{f}, func(*file) []segment {
		return []segment{
			{from: f.new, to: between, decide: always(typist)},
			{from: between, to: f.new, decide: always(typist)},
		}
	})
}

// typedIn returns the lines of a saved content that an editor saw a person type.
func (s *step) typedIn(f *file) map[int]bool {
	for _, d := range s.saved {
		if d.Path == f.path && s.reportedText(*d.Before, f.new).oid == f.new.oid {
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

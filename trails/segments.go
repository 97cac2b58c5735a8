package trails

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// segment is a part of a change with one decision: from one content of the path to the next.
type segment struct {
	from, to text
	decide   decision
	origins  []vector.Origin // of the lines of to, if git put them together before a tool changed them
	typed    map[int]bool    // lines of to that an editor saw a person type
}

// writer returns the writer of a changed line of to.
func (seg segment) writer(line int) *actor {
	if seg.typed[line] {
		return &typist
	}
	return seg.decide(seg.to.lines[line])
}

// segments cuts the change of a file where the evidence allows it. Some edit tools report the whole file as they
// found it and as they left it. Such a report splits the interval exactly, and so do several that follow one
// another. A change before the tool wrote is not its own: a person may type while the permission prompt waits, or
// another agent may write. A later change of another writer is not its own either. If there is no other writer, a
// later change comes from a formatter that ran on the tool's text: it is the call's, with less confidence for new
// text.
func (s *step) segments(f *file) []segment {
	seen := s.seen(f.path)
	var done []*Window
	if f.early {
		seen, done = s.state.LastFull, s.doneWith(f.path)
	}
	if by, ok := s.turnedUp(f.path, f.new.oid); ok {
		return []segment{{from: f.old, to: f.new, decide: by}}
	}
	if by, ok := s.afterHooks(f, seen); ok {
		return []segment{{from: f.old, to: f.new, decide: by}}
	}
	if chain := s.completions(f); len(chain) > 0 {
		return chain
	}
	whole := []segment{{from: f.old, to: f.new, decide: s.decideSince(f.path, seen, done...), typed: s.typedIn(f)}}
	reports := s.reports(f, seen)
	if len(reports) == 0 || f.old.whole || f.new.whole || f.new.oid.IsZero() || s.converted(f) {
		return whole
	}
	var tools []*Window
	for _, r := range reports {
		tools = append(tools, r.window)
	}
	others := writers(s.state.Windows, f.path, seen)
	alone := len(others) <= 1 && !s.inDoubt(f.path, seen)
	aside := s.decideSince(f.path, seen, tools...)
	var chain []segment
	add := func(from, to text, by decision) {
		if from.oid != to.oid {
			chain = append(chain, segment{from: from, to: to, decide: by})
		}
	}
	at := f.old
	for i, r := range reports {
		before, after := s.reportedText(*r.said.Before, f.old, f.new), s.reportedText(*r.said.After, f.new, f.old)
		if before.whole || after.whole {
			return whole
		}
		add(at, before, aside)
		if i == 0 && len(chain) > 0 {
			chain[0].origins = s.composition(f, before)
		}
		add(before, after, asProposed([]*Window{r.window}, f.path, always(byWindow(r.window, f.path))))
		at = after
	}
	if alone { // a hook of the call, or the tool itself, wrote more than the report tells
		a := byWindow(tools[len(tools)-1], f.path)
		a.limits = append(a.limits, events.LimitPayloadMismatch)
		aside = always(a)
	}
	add(at, f.new, aside)
	if !consistent(f.old, f.new, chain) {
		// A report is older than the last snapshot, or speaks of other bytes: only its text is evidence.
		return []segment{{from: f.old, to: f.new, decide: s.weigh(others, f.path, seen, tools)}}
	}
	return chain
}

// report is an edit call that reported the whole content of a path before and after.
type report struct {
	window *Window
	said   declared
}

// reports returns the calls that did so and ended since the path was looked at: first the calls whose ends were put
// aside, in the order of their beginnings, then the call that ends at this boundary.
func (s *step) reports(f *file, seen int64) []report {
	var out []report
	for _, w := range writers(s.state.Windows, f.path, seen) {
		if w.Closed == 0 || w.Class != events.ToolEdits {
			continue
		}
		if said, found := w.reported(f.path); found {
			out = append(out, report{w, said})
		}
	}
	w, said := s.reported(f.path)
	if w == nil && len(out) == 0 {
		w, said = s.tookBack(f)
	}
	if w != nil {
		out = append(out, report{w, said})
	}
	return out
}

// tookBack finds the contents that the ending edit call found and left in a file. It serves calls that reported
// only an old text and its replacement. Taking the replacement back gives the content that the call found. The
// replacement has to be in the file once. Nothing may have been written since the hook of the call's end began: a
// formatter may run beside it. For example: an agent says that it put x := 2 in the place of x := 1. With x := 1
// put back, the file is as the call found it.
func (s *step) tookBack(f *file) (*Window, declared) {
	for _, end := range s.closing {
		w := end.window
		if end.status != "done" || w.Class != events.ToolEdits || !w.mayWrite(f.path) {
			continue
		}
		changed, known := snapshot.Stamp(filepath.Join(s.repo.WorkTree, filepath.FromSlash(f.path)))
		before, ok := takenBack(string(f.new.bytes), w.declares(f.path))
		if after := string(f.new.bytes); ok && known && changed.Before(s.time) && utf8.ValidString(after) {
			return w, declared{Before: &before, After: &after}
		}
	}
	return nil, declared{}
}

// takenBack undoes some edits of a content, which come in their order; ok is false where that is not certain.
func takenBack(content string, edits []declared) (before string, ok bool) {
	ends := func(text string) string { return text }
	if strings.Contains(content, "\r\n") { // clients report line feeds alone
		ends = func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	}
	for _, d := range slices.Backward(edits) {
		old, latest := ends(d.Old), ends(d.New)
		if !d.Exact || latest == "" || strings.Count(content, latest) != 1 {
			return "", false
		}
		content = strings.Replace(content, latest, old, 1)
	}
	return content, len(edits) > 0
}

// reported returns a call's word about the whole content of a path before and after.
func (w *Window) reported(path string) (declared, bool) {
	var out declared
	for _, d := range w.declares(path) {
		if out.Before == nil {
			out.Before = d.Before
		}
		if d.After != nil {
			out.After = d.After
		}
	}
	sound := out.Before != nil && out.After != nil && utf8.ValidString(*out.Before) && utf8.ValidString(*out.After)
	return out, sound
}

// doneWith lists the edit calls that have ended and declared the path. It was looked at then; had git written to the
// work tree by that time, everything would have been.
func (s *workTree) doneWith(path string) []*Window {
	return slices.DeleteFunc(slices.Clone(s.state.Windows), func(w *Window) bool {
		return w.Closed == 0 || w.Class != events.ToolEdits || !slices.Contains(w.Paths, path)
	})
}

// composition returns the origins of the lines of a content that a tool found after git had written.
func (s *step) composition(f *file, found text) []vector.Origin {
	g := &file{path: f.path, oldPath: f.oldPath, oldMode: f.oldMode, newMode: f.newMode, old: f.old, new: found,
		vec: f.vec}
	explained, err := s.explained(g)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return nil
	}
	v, known := s.known.Get(f.path, found.oid)
	if !explained || !known || v.Len() != len(found.lines) {
		return g.from
	}
	return originsOf(v)
}

// originsOf returns a known content as the origin of each of its lines.
func originsOf(v vector.Vector) []vector.Origin {
	var out []vector.Origin
	line := 0
	for _, run := range v.Runs() {
		out = append(out, vector.Origin{Start: line, Count: run.Count, Why: vector.Equal, Owner: run.Owner})
		line += run.Count
	}
	return out
}

// reported finds the edit call that ends at this boundary and reported the whole content of the path before and after.
func (s *witness) reported(path string) (*Window, declared) {
	for _, end := range s.closing {
		if end.status != "done" || end.window.Class != events.ToolEdits {
			continue
		}
		if said, found := end.window.reported(path); found {
			return end.window, said
		}
	}
	return nil, declared{}
}

// consistent reports whether a chain of contents lies on the way from old to new: a line that the whole change leaves
// alone is left alone by every part of it.
func consistent(old, latest text, chain []segment) bool {
	direct := linediff.Lineage(old.lines, latest.lines)
	through := make([]int, len(latest.lines))
	for i := range through {
		through[i] = i
	}
	for i := len(chain) - 1; i >= 0; i-- {
		m := linediff.Lineage(chain[i].from.lines, chain[i].to.lines)
		for j, at := range through {
			if at >= 0 {
				through[j] = m[at]
			}
		}
	}
	for i := range direct {
		if direct[i] >= 0 && through[i] < 0 {
			return false
		}
	}
	return true
}

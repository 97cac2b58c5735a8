package trails

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// cutter cuts the change of a file into segments.
type cutter struct {
	tree  *workTree
	judge *judge
}

// segment is a part of a change with one decision: from one content of the path to the next.
type segment struct {
	from, to text
	decide   decision
	origins  []vector.Origin // sources of the lines of the new content, if git combined them before a tool changed them
	said     map[int]*actor  // the writers of lines of to according to an editor, see lineWriters
}

// writer returns the writer of a changed line in the segment's new content.
func (seg segment) writer(line int) *actor {
	said := seg.said[line]
	if said != nil && said.seen {
		return said
	}
	who := seg.decide(seg.to.Lines[line])
	if said != nil && who.kind == events.OwnerHuman {
		return said
	}
	return who
}

// segments cuts the change of a file where the evidence allows it. Some edit tools report the whole file before and
// after the edit. Such a report splits the interval exactly, and so do several successive reports. A change from before
// the tool wrote is not its own: a person may type while the permission prompt waits, or another agent may write.
// Another writer's later change is not its own either. If there is no other writer, a formatter made a later change of
// the tool's text: the call owns it, with less confidence for new text.
func (cut *cutter) segments(f *file) (chain []segment, err error) {
	seen := cut.tree.seen(f.path)
	var done []*Window
	if f.early {
		seen, done = cut.tree.state.LastFull, cut.tree.doneWith(f.path)
	}
	if by, ok := cut.tree.turnedUp(f.path, f.new.OID); ok {
		return []segment{{from: f.old, to: f.new, decide: by}}, nil
	}
	if by, ok := cut.judge.afterHooks(f, seen); ok {
		return []segment{{from: f.old, to: f.new, decide: by}}, nil
	}
	if chain = cut.completions(f); len(chain) > 0 {
		return chain, nil
	}
	whole := []segment{{
		from: f.old, to: f.new, decide: cut.judge.decideSince(f.path, seen, done...), said: cut.saidIn(f),
	}}
	reports := cut.reports(f, seen)
	if len(reports) == 0 || f.old.Whole || f.new.Whole || f.new.OID.IsZero() || cut.tree.store.converted(f) {
		return whole, nil
	}
	var tools []*Window
	for _, r := range reports {
		tools = append(tools, r.window)
	}
	others := writers(cut.tree.state.Windows, f.path, seen)
	alone := len(others) <= 1 && !cut.tree.inDoubt(f.path, seen)
	aside := cut.judge.decideSince(f.path, seen, tools...)
	add := func(from, to text, by decision) {
		if from.OID != to.OID {
			chain = append(chain, segment{from: from, to: to, decide: by})
		}
	}
	at := f.old
	for i, r := range reports {
		before := cut.tree.store.reportedText(*r.said.Before, f.old, f.new)
		after := cut.tree.store.reportedText(*r.said.After, f.new, f.old)
		if before.Whole || after.Whole {
			return whole, nil
		}
		add(at, before, aside)
		if i == 0 && len(chain) > 0 {
			if chain[0].origins, err = cut.composition(f, before); err != nil {
				return nil, err
			}
		}
		add(before, after, asProposed([]*Window{r.window}, f.path, always(byWindow(r.window, f.path))))
		at = after
	}
	if alone { // a hook of the call, or the tool itself, wrote more than the report says
		a := byWindow(tools[len(tools)-1], f.path)
		a.limits = append(a.limits, events.LimitPayloadMismatch)
		aside = always(a)
	}
	add(at, f.new, aside)
	if !consistent(f.old, f.new, chain) {
		// The report is older than the last snapshot, or is about other bytes: only its text is evidence.
		return []segment{{from: f.old, to: f.new, decide: cut.judge.weigh(others, f.path, seen, tools)}}, nil
	}
	return chain, nil
}

// report is an edit call that reported the whole content of a path before and after.
type report struct {
	window *Window
	said   declared
}

// reports returns the calls with a report about the whole content of a path, which ended since the last look at the
// path: first the calls whose ends were put aside, in the order of their beginnings, then the call that ends at this
// boundary.
func (cut *cutter) reports(f *file, seen int64) []report {
	var out []report
	for _, w := range writers(cut.tree.state.Windows, f.path, seen) {
		if w.Closed == 0 || w.Call.Class != events.ToolEdits {
			continue
		}
		if said, found := w.reported(f.path); found {
			out = append(out, report{w, said})
		}
	}
	w, said := cut.judge.heard.reported(f.path)
	if w == nil && len(out) == 0 {
		w, said = cut.tookBack(f)
	}
	if w != nil {
		out = append(out, report{w, said})
	}
	return out
}

// tookBack finds the contents of a file before and after the ending edit call, if the call reported only an old text
// and its replacement. Undoing the replacement gives the content before the call. The replacement must occur once in
// the file. Nothing may have been written since the hook of the call's end began: a formatter may run at the same time.
// For example: an agent reports that it replaced x := 1 by x := 2. With x := 1 again, the file has its content from
// before the call.
func (cut *cutter) tookBack(f *file) (*Window, declared) {
	for _, end := range cut.judge.heard.closing {
		w := end.window
		if end.status != "done" || w.Call.Class != events.ToolEdits || !w.mayWrite(f.path) {
			continue
		}
		changed, known := snapshot.Stamp(filepath.Join(cut.tree.repo.WorkTree, filepath.FromSlash(f.path)))
		before, ok := takenBack(string(f.new.Bytes), w.declares(f.path))
		if after := string(f.new.Bytes); ok && known && changed.Before(cut.tree.time) && utf8.ValidString(after) {
			return w, declared{Before: &before, After: &after}
		}
	}
	return nil, declared{}
}

// takenBack undoes some edits of a content, which are given in order. The result `ok` is false if the text is
// uncertain.
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

// `reported` returns a call's report about the whole content of a path before and after.
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

// doneWith lists the edit calls that have ended and declared the path. The path was read then; if git had written by
// that time, the whole work tree would have been read.
func (tree *workTree) doneWith(path string) []*Window {
	return slices.DeleteFunc(slices.Clone(tree.state.Windows), func(w *Window) bool {
		return w.Closed == 0 || w.Call.Class != events.ToolEdits || !slices.Contains(w.Says.Paths, path)
	})
}

// composition returns the origins of the lines of a content that a tool found after git had written.
func (cut *cutter) composition(f *file, found text) ([]vector.Origin, error) {
	g := &file{path: f.path, oldPath: f.oldPath, oldMode: f.oldMode, newMode: f.newMode, old: f.old, new: found,
		vec: f.vec}
	explained, err := cut.tree.origins.explained(g, cut.judge.told(g.path))
	if err != nil {
		return nil, err
	}
	v, known := cut.tree.store.known.Get(f.path, found.OID)
	if !explained || !known || v.Len() != len(found.Lines) {
		return g.from, nil
	}
	return originsOf(v), nil
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

// `reported` finds the edit call that ends at this boundary and reported the whole content of the path before and
// after.
func (h *heard) reported(path string) (*Window, declared) {
	for _, end := range h.closing {
		if end.status != "done" || end.window.Call.Class != events.ToolEdits {
			continue
		}
		if said, found := end.window.reported(path); found {
			return end.window, said
		}
	}
	return nil, declared{}
}

// `consistent` reports whether a chain of contents fits between `old` and `new`: no part of it changes a line that the
// whole change keeps.
func consistent(old, latest text, chain []segment) bool {
	direct := linediff.Lineage(old.Lines, latest.Lines)
	through := make([]int, len(latest.Lines))
	for i := range through {
		through[i] = i
	}
	for i := len(chain) - 1; i >= 0; i-- {
		m := linediff.Lineage(chain[i].from.Lines, chain[i].to.Lines)
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

// Clients report text, git has bytes. A report has only line feeds and not a byte order mark, whatever the file
// has. If the file is not UTF-8 and the client knows its encoding, the report has the text. Otherwise it has marks
// for the bytes that the client could not read.

const byteOrderMark = "\uFEFF"

// reportedText converts a content that a tool reported into the form of the contents before and after it; the parameter
// `like` lists them, the nearest first.
func (c *contents) reportedText(content string, like ...text) text {
	raw := []byte(content)
	for _, t := range like {
		if len(t.Bytes) > 0 {
			raw = inForm(content, t.Bytes)
			break
		}
	}
	if !utf8.Valid(raw) || strings.ContainsRune(content, utf8.RuneError) {
		raw = unmarked(raw, like)
	}
	return newText(c.repo.Format.Hash(refs.BlobObject, raw), raw)
}

// inForm gives a text the byte order mark, the line ends and the encoding of a file.
func inForm(content string, like []byte) []byte {
	if bytes.Contains(like, []byte("\r\n")) && !strings.Contains(content, "\r") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	if bytes.HasPrefix(like, []byte(byteOrderMark)) && !strings.HasPrefix(content, byteOrderMark) {
		content = byteOrderMark + content
	}
	if utf8.Valid(like) {
		return []byte(content)
	}
	out := make([]byte, 0, len(content))
	for _, r := range content {
		if r > 0xFF { // not Latin-1
			return []byte(content)
		}
		out = append(out, byte(r))
	}
	return out
}

// `unmarked` replaces lines that a client could not read with the lines of files.
func unmarked(raw []byte, like []text) []byte {
	lines := map[string][]byte{}
	for _, t := range like {
		for _, l := range t.Lines {
			if key := marked(l); lines[key] == nil {
				lines[key] = l
			}
		}
	}
	var out []byte
	for i, l := range linediff.Split(raw) {
		if i > 0 {
			out = append(out, '\n')
		}
		if found := lines[marked(l)]; found != nil {
			l = found
		}
		out = append(out, l...)
	}
	if linediff.Terminated(raw) && len(raw) > 0 {
		out = append(out, '\n')
	}
	return out
}

// `marked` replaces the bytes of a line that are not UTF-8 with one mark. Clients differ in how many marks they write
// for them.
func marked(line []byte) string {
	var out strings.Builder
	last := rune(-1)
	for _, r := range strings.ToValidUTF8(string(line), string(utf8.RuneError)) {
		if r != utf8.RuneError || last != r {
			out.WriteRune(r)
		}
		last = r
	}
	return strings.TrimRight(out.String(), "\r")
}

// `converted` reports whether a filter makes git store other bytes than the file has: then a tool's report of the file
// cannot be compared with blobs. Line ends do not count. An encoding that clients decode too does not count either
// (gitattributes(5), working-tree-encoding).
func (c *contents) converted(f *file) bool {
	raw, found := readWorkFile(c.repo, f.path)
	if !found {
		return false
	}
	for _, content := range [][]byte{raw, fromUTF16(raw), fromLatin1(raw)} {
		for _, ends := range [][]byte{content, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))} {
			if ends != nil && c.repo.Format.Hash(refs.BlobObject, ends) == f.new.OID {
				return false
			}
		}
	}
	return true
}

// fromUTF16 returns the text of a file that begins with the byte order mark of UTF-16, without the mark; nil for any
// other file.
func fromUTF16(raw []byte) []byte {
	var low, high int
	switch {
	case len(raw)%2 != 0:
		return nil
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		low, high = 0, 1
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		low, high = 1, 0
	default:
		return nil
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 2; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i+low])|uint16(raw[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// fromLatin1 reads a file that is not UTF-8 as Latin-1; nil if it is UTF-8.
func fromLatin1(raw []byte) []byte {
	if utf8.Valid(raw) {
		return nil
	}
	out := make([]rune, len(raw))
	for i, c := range raw {
		out[i] = rune(c)
	}
	return []byte(string(out))
}

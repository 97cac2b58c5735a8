package trails

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// weigher is the phase that weighs: it finds the owner of each changed line. It keeps its findings about contents in
// the memory of the step (contents), and returns the findings that become events.
type weigher struct {
	tree   *workTree
	judge  *judge
	cuts   *cutter
	looks  *looks
	writer string // writer of the log
	// editing is the function Editing of the engine.
	editing func() bool
}

// finding is a part of a file, or lines that are older than recorded, or a change without lines.
type finding struct {
	part  *found
	older *olderLines
	whole *wholeChange
}

// olderLines holds lines of a content that are older than recorded.
type olderLines struct {
	path string
	in   text
	kept []events.KeptRun
}

// wholeChange is a change without lines: of a binary file, a submodule, a mode.
type wholeChange struct {
	file *file
	who  actor
}

// attribute finds the owner of every changed line of an interval, and the vector of every content.
func (wg *weigher) attribute(changes []snapshot.Change) ([]finding, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	wg.tree.names.noteNested(changes)
	files, err := wg.gather(changes)
	if err != nil {
		return nil, err
	}
	files, back, err := wg.explain(files)
	if err != nil {
		return nil, err
	}
	wg.judge.measure(files...)
	return wg.settleFiles(files, wg.cuts.segments, back...)
}

// part is a segment whose owners are being found.
type part struct {
	file   *file
	seg    segment
	index  int // index of the segment in its file
	change *vector.Change
}

// patchRun becomes a patch: it is a hunk, or a part of a hunk by one actor.
type patchRun struct {
	hunk   linediff.Hunk
	who    actor
	owner  vector.Owner
	first  int // new lines first ≤ line < last
	last   int
	oldLen int // replaced lines; all of them belong to the first run of the hunk
}

// settleFiles carries ownership through the segments of every file. It compares all segments of one rank before it
// resolves any of them, so that moved blocks are found. Blocks may also come from files that need no owner.
func (wg *weigher) settleFiles(
	files []*file, cut func(*file) ([]segment, error), explained ...*file,
) (out []finding, err error) {
	plans := make([][]segment, len(files))
	levels := 0
	for i, f := range files {
		if f.old.Whole || f.new.Whole {
			continue
		}
		if plans[i], err = cut(f); err != nil {
			return nil, err
		}
		levels = max(levels, len(plans[i]))
	}
	if len(explained) > 0 {
		levels = max(levels, 1)
	}
	for level := range levels {
		var parts []*part
		var moving []shifting
		for i, f := range files {
			if err := wg.tree.ctx.Err(); err != nil {
				return nil, err
			}
			if level >= len(plans[i]) {
				continue
			}
			seg := plans[i][level]
			change := vector.Compare(vector.Content{Lines: seg.from.Lines, Owners: f.vec}, seg.to.Lines)
			parts = append(parts, &part{file: f, seg: seg, index: level, change: change})
			moving = append(moving, shifting{change, seg.from, seg.to, f.path})
		}
		if level == 0 {
			for _, f := range explained {
				moving = append(moving, f.giving())
			}
		}
		earlier, err := wg.tree.moves(moving)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if err := wg.tree.ctx.Err(); err != nil {
				return nil, err
			}
			one := wg.weighPart(p)
			wg.know(one)
			out = append(out, finding{part: &one})
		}
		older, err := wg.settleHalves(earlier)
		if err != nil {
			return nil, err
		}
		out = append(out, older...)
	}
	for _, f := range explained {
		wg.noteShift(f.oldPath, f.path, f.giving())
	}
	for _, f := range files {
		if f.withoutLines() {
			out = append(out, finding{whole: &wholeChange{f, wg.writerOfWhole(f)}})
		}
		delete(wg.tree.state.Notes.Expected, f.path)
		wg.tree.state.heardOf(f.path)
	}
	return out, nil
}

// `found` holds the result for a part: its patches, and the owner of each line of its new content.
type found struct {
	part     *part
	runs     map[int][]patchRun // patches by hunk
	restored map[int]vector.Owner
	result   vector.Result
}

// know remembers the owners of a part's new content, and its removed lines.
func (wg *weigher) know(f found) {
	p, tree := f.part, wg.tree
	for _, runs := range f.runs {
		for _, run := range runs {
			tree.store.note(run.who)
		}
	}
	p.file.vec = f.result.Vector
	for _, t := range []text{p.seg.from, p.seg.to} { // so that the contents of every patch can be read later
		if !t.OID.IsZero() && (t.OID != p.file.old.OID && t.OID != p.file.new.OID || p.file.reported) {
			tree.store.keep(t)
		}
	}
	if !p.seg.to.OID.IsZero() {
		tree.store.known.Put(p.file.path, p.seg.to.OID, f.result.Vector)
	}
	wg.noteShift(p.leftPath(), p.file.path, shifting{p.change, p.seg.from, p.seg.to, p.file.path})
	tree.store.known.PutLeft(p.leftPath(), p.seg.from.OID, removed(p.seg.from, p.change.Hunks()))
}

// weighPart resolves one segment.
func (wg *weigher) weighPart(p *part) found {
	out := found{part: p, restored: wg.tree.restoredLines(p), runs: map[int][]patchRun{}}
	for i, h := range p.change.Hunks() {
		out.runs[i] = wg.cutHunk(p, h, wg.tree.writersOf(p, p.file.vec, i))
	}
	out.result = p.change.Resolve(func(hunk, line int) vector.Owner {
		if owner, found := out.restored[line]; found {
			return owner
		}
		for _, run := range out.runs[hunk] {
			if line < run.last {
				return run.owner
			}
		}
		return vector.Unknown
	})
	return out
}

// leftPath returns the path of the content before the segment.
func (p *part) leftPath() string {
	if p.index == 0 {
		return p.file.oldPath
	}
	return p.file.path
}

// restoredLines returns the lines that nobody wrote in this interval. Their owners come from the source of the content,
// or from an earlier time with the same content.
func (tree *workTree) restoredLines(p *part) map[int]vector.Owner {
	out := map[int]vector.Owner{}
	from := p.seg.origins
	switch had, known := tree.store.known.Get(p.file.path, p.seg.to.OID); {
	case p.seg.to.OID == p.file.new.OID:
		from = p.file.from
	case from == nil && known && had.Len() == len(p.seg.to.Lines):
		from = originsOf(had)
	}
	same := map[int]bool{}
	for _, run := range from {
		for line := run.Start; run.Source >= 0 && line < run.Start+run.Count; line++ {
			out[line], same[line] = run.Owner, run.Same
		}
	}
	p.change.Yield(func(line int) bool { return same[line] })
	return out
}

// cutHunk cuts a hunk where its actor changes. A hunk that only deletes is one run.
func (wg *weigher) cutHunk(p *part, h linediff.Hunk, writer func(line int) *actor) []patchRun {
	var out []patchRun
	end := h.NewStart + h.NewCount
	add := func(first, last int, who actor) {
		run := patchRun{hunk: h, who: who.beside(wg.editing), first: first, last: last}
		if len(out) == 0 {
			run.oldLen = h.OldCount
		}
		run.owner = run.who.owner(patchSeed{
			writer: wg.writer, worktree: wg.tree.repo.WorktreeName(), interval: wg.tree.interval,
			path: p.file.path, start: first, count: last - first, old: run.oldLen, after: p.seg.to.OID, segment: p.index,
		})
		out = append(out, run)
	}
	if h.NewCount == 0 {
		add(h.NewStart, h.NewStart, *p.seg.decide(p.seg.from.Lines[h.OldStart]))
		return out
	}
	for first := h.NewStart; first < end; {
		who := writer(first)
		last := first + 1
		for last < end && writer(last) == who {
			last++
		}
		add(first, last, *who)
		first = last
	}
	return out
}

// attributeSeeded finds owners if the first snapshot of a work tree is taken at an after-boundary: a tool's report of
// the file before its edit replaces the earlier snapshot.
func (wg *weigher) attributeSeeded() ([]finding, error) {
	var files []*file
	for _, end := range wg.judge.heard.closing {
		for _, path := range end.window.Says.Paths {
			said, told := end.window.reported(path)
			entry, found := wg.looks.snap.Lookup(path)
			if !told || !found {
				continue
			}
			now, err := wg.tree.store.read(entry.Mode, entry.OID)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", strconv.Quote(path), err)
			}
			f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode, new: now, reported: true}
			f.old = wg.tree.store.reportedText(*said.Before, now)
			f.vec = wg.tree.origins.vectorOf(path, f.old)
			files = append(files, f)
		}
	}
	return wg.settleFiles(files, wg.cuts.segments)
}

// expect finds, after the snapshot of an after-boundary, declared contents that are not on disk yet: some clients
// report before they write. It records the patch from the report; later the content is recognised.
func (wg *weigher) expect() (out []finding, err error) {
	for _, end := range wg.judge.heard.closing {
		if end.status != "done" || wg.looks.snap == nil {
			continue
		}
		for _, p := range end.window.Says.Paths {
			more, err := wg.expectPath(end.window, p)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	return out, nil
}

func (wg *weigher) expectPath(w *Window, path string) ([]finding, error) {
	tool, said := wg.judge.heard.reported(path)
	if tool != w {
		return nil, nil
	}
	entry, found := wg.looks.snap.Lookup(path)
	now, err := wg.tree.store.read(entry.Mode, entry.OID)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", strconv.Quote(path), err)
	}
	before, after := wg.tree.store.reportedText(*said.Before, now), wg.tree.store.reportedText(*said.After, now)
	onDisk := entry.OID == before.OID || !found && *said.Before == ""
	if !onDisk || before.OID == after.OID || before.Whole || after.Whole {
		return nil, nil
	}
	f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode, old: before, new: after,
		reported: true}
	f.vec = wg.tree.origins.vectorOf(path, before)
	out, err := wg.settleFiles([]*file{f}, func(f *file) ([]segment, error) {
		return []segment{{from: f.old, to: f.new, decide: always(byWindow(w, path))}}, nil
	})
	if wg.tree.state.Notes.Expected == nil {
		wg.tree.state.Notes.Expected = map[string]refs.OID{}
	}
	wg.tree.state.Notes.Expected[path] = after.OID
	return out, err
}

// writerOfWhole returns the maker of a change without lines.
func (wg *weigher) writerOfWhole(f *file) actor {
	if by, ok := wg.tree.turnedUp(f.path, f.new.OID); ok {
		return *by(nil)
	}
	return *wg.judge.decide(f.path)(nil)
}

// allRestored reports whether all n lines were restored: nobody wrote them in this interval, and each keeps its older
// owner.
func allRestored(kept []events.KeptRun, n int) bool {
	for _, k := range kept {
		if k.Why == "restored" {
			n -= k.Count
		}
	}
	return n == 0 && len(kept) > 0
}

// keptRuns lists the lines of a run that keep an older owner, with the reasons.
func keptRuns(run patchRun, resolved vector.Hunk, restored map[int]vector.Owner) []events.KeptRun {
	var out []events.KeptRun
	add := func(line int, owner vector.Owner, why string) {
		if last := len(out) - 1; last >= 0 {
			k := &out[last]
			next := keptLine(line, owner, why)
			if next.Start, next.Count = k.Start, k.Count; *k == next && k.Start+k.Count == line+1 {
				k.Count++
				return
			}
		}
		out = append(out, keptLine(line, owner, why))
	}
	kept := map[int]vector.Kept{}
	for _, k := range resolved.Kept {
		for line := k.Start; line < k.End; line++ {
			kept[line] = k
		}
	}
	for line := run.first; line < run.last; line++ {
		if k, found := kept[line]; found {
			add(line, k.Owner, string(k.Why))
		} else if owner, found := restored[line]; found {
			add(line, owner, "restored")
		}
	}
	return out
}

// keptLine returns a run of one line, counted from 0, that keeps an older owner.
func keptLine(line int, owner vector.Owner, why string) events.KeptRun {
	kept := events.KeptRun{Start: line + 1, Count: 1, Patch: owner.Patch, Kind: owner.Kind, Why: why}
	if owner.Reformatted {
		kept.Form = "other"
	}
	return kept
}

// patchSeed holds the facts that determine the id of a patch: its place and its time.
type patchSeed struct {
	writer   string
	worktree string
	interval int64
	path     string
	start    int
	count    int
	old      int
	after    refs.OID
	segment  int
}

func (s patchSeed) id(owner ledger.OwnerKey) events.PatchID {
	var b bytes.Buffer
	for _, part := range []string{
		s.writer, s.worktree, strconv.FormatInt(s.interval, 10), s.path, strconv.Itoa(s.start), strconv.Itoa(s.count),
		strconv.Itoa(s.old), s.after.String(), strconv.Itoa(s.segment),
	} {
		b.WriteString(part)
		b.WriteByte(0)
	}
	return ledger.PatchOf(b.Bytes(), owner)
}

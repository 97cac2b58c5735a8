package trails

import (
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// attribute gives every changed line of an interval its owner, every hunk its patch, every content its vector.
func (s *step) attribute(changes []snapshot.Change) error {
	if len(changes) == 0 {
		return nil
	}
	s.noteNested(changes)
	files, err := s.gather(changes)
	if err != nil {
		return err
	}
	files, back, err := s.explain(files)
	if err != nil {
		return err
	}
	s.measure(files...)
	return s.settleFiles(files, s.segments, back...)
}

// part is a segment while it is being settled.
type part struct {
	file   *file
	seg    segment
	index  int // of the segment in its file
	change *vector.Change
}

// patchRun becomes a patch: it is a hunk, or the part of a hunk that one actor wrote.
type patchRun struct {
	hunk   linediff.Hunk
	who    actor
	owner  vector.Owner
	first  int // new lines first ≤ line < last
	last   int
	oldLen int // replaced lines; all of the hunk's stand with its first run
}

// settleFiles carries ownership through the segments of every file. All segments of one rank are compared before any is
// resolved, so that a block that moved from one file to another is found. Blocks may have come from files that need no
// owner, too.
func (s *step) settleFiles(files []*file, cut func(*file) []segment, explained ...*file) error {
	plans := make([][]segment, len(files))
	levels := 0
	for i, f := range files {
		if f.old.whole || f.new.whole {
			continue
		}
		plans[i] = cut(f)
		levels = max(levels, len(plans[i]))
	}
	if len(explained) > 0 {
		levels = max(levels, 1)
	}
	for level := range levels {
		var parts []*part
		var moving []shifting
		for i, f := range files {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if level >= len(plans[i]) {
				continue
			}
			seg := plans[i][level]
			change := vector.Compare(vector.Content{Lines: seg.from.lines, Owners: f.vec}, seg.to.lines)
			parts = append(parts, &part{file: f, seg: seg, index: level, change: change})
			moving = append(moving, shifting{change, seg.from, seg.to, f.path})
		}
		if level == 0 {
			for _, f := range explained {
				moving = append(moving, f.giving())
			}
		}
		earlier, err := s.moves(moving)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if err := s.settlePart(p); err != nil {
				return err
			}
		}
		if err := s.settleHalves(earlier); err != nil {
			return err
		}
	}
	for _, f := range explained {
		s.noteShift(f.oldPath, f.path, f.giving())
	}
	for _, f := range files {
		if f.withoutLines() {
			if err := s.recordWhole(f); err != nil {
				return err
			}
		}
		delete(s.state.Expected, f.path)
		s.state.heardOf(f.path)
	}
	return s.err
}

// settlePart resolves one segment, records its patches and stores the vector of the content it leads to.
func (s *step) settlePart(p *part) error {
	restored := s.restoredLines(p)
	runs := map[int][]patchRun{}
	for i, h := range p.change.Hunks() {
		runs[i] = s.cutHunk(p, h, s.writersOf(p, p.file.vec, i))
	}
	result := p.change.Resolve(func(hunk, line int) vector.Owner {
		if owner, found := restored[line]; found {
			return owner
		}
		for _, run := range runs[hunk] {
			if line < run.last {
				return run.owner
			}
		}
		return vector.Unknown
	})
	p.file.vec = result.Vector
	if err := s.keepReported(p); err != nil {
		return err
	}
	if !p.seg.to.oid.IsZero() {
		if err := s.known.Put(p.file.path, p.seg.to.oid, result.Vector); err != nil {
			return err
		}
	}
	s.noteShift(p.leftPath(), p.file.path, shifting{p.change, p.seg.from, p.seg.to, p.file.path})
	if err := s.known.PutLeft(p.leftPath(), p.seg.from.oid, removed(p.seg.from, p.change.Hunks())); err != nil {
		return err
	}
	for i, h := range result.Hunks {
		for _, run := range runs[i] {
			if err := s.recordPatch(p, run, h, restored, result.Capped); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftPath returns the path of the content before the segment.
func (p *part) leftPath() string {
	if p.index == 0 {
		return p.file.oldPath
	}
	return p.file.path
}

// restoredLines returns the lines that nobody wrote in this interval, with their owners in the source of the content,
// or at an earlier time with the same content.
func (s *workTree) restoredLines(p *part) map[int]vector.Owner {
	out := map[int]vector.Owner{}
	from := p.seg.origins
	switch had, known := s.known.Get(p.file.path, p.seg.to.oid); {
	case p.seg.to.oid == p.file.new.oid:
		from = p.file.from
	case from == nil && known && had.Len() == len(p.seg.to.lines):
		from = originsOf(had)
	}
	for _, run := range from {
		for line := run.Start; run.Source >= 0 && line < run.Start+run.Count; line++ {
			out[line] = run.Owner
		}
	}
	return out
}

// cutHunk cuts a hunk where its actor changes. A hunk that only deletes is one run.
func (s *step) cutHunk(p *part, h linediff.Hunk, writer func(line int) *actor) []patchRun {
	var out []patchRun
	end := h.NewStart + h.NewCount
	add := func(first, last int, who actor) {
		run := patchRun{hunk: h, who: who.beside(s.engine.Editing), first: first, last: last}
		if len(out) == 0 {
			run.oldLen = h.OldCount
		}
		run.owner = s.ownerOf(run.who, patchSeed{
			interval: s.interval, path: p.file.path, start: first, count: last - first, old: run.oldLen,
			after: p.seg.to.oid, segment: p.index,
		})
		out = append(out, run)
	}
	if h.NewCount == 0 {
		add(h.NewStart, h.NewStart, *p.seg.decide(p.seg.from.lines[h.OldStart]))
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

// attributeSeeded finds owners when the first snapshot of a work tree is taken at an after-boundary: if an edit tool
// reports the file before its edit, no earlier snapshot is necessary.
func (s *step) attributeSeeded() error {
	var files []*file
	for _, end := range s.closing {
		for _, path := range end.window.Paths {
			said, told := end.window.reported(path)
			entry, found := s.snap.Lookup(path)
			if !told || !found {
				continue
			}
			now, err := s.read(entry.Mode, entry.OID)
			if err != nil {
				return fmt.Errorf("read %s: %w", strconv.Quote(path), err)
			}
			f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode, new: now, reported: true}
			f.old = s.reportedText(*said.Before, now)
			f.vec = s.vectorOf(path, f.old)
			files = append(files, f)
		}
	}
	return s.settleFiles(files, s.segments)
}

// expect looks, after the snapshot of an after-boundary, for declared contents that are not on disk yet: some clients
// report before they write. It records the patch from the report. Later the content is recognised.
func (s *step) expect() error {
	for _, end := range s.closing {
		if end.status != "done" || s.snap == nil {
			continue
		}
		for _, p := range end.window.Paths {
			if err := s.expectPath(end.window, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *step) expectPath(w *Window, path string) error {
	tool, said := s.reported(path)
	if tool != w {
		return nil
	}
	entry, found := s.snap.Lookup(path)
	now, err := s.read(entry.Mode, entry.OID)
	if err != nil {
		return fmt.Errorf("read %s: %w", strconv.Quote(path), err)
	}
	before, after := s.reportedText(*said.Before, now), s.reportedText(*said.After, now)
	onDisk := entry.OID == before.oid || !found && *said.Before == ""
	if !onDisk || before.oid == after.oid || before.whole || after.whole {
		return nil
	}
	f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode, old: before, new: after,
		reported: true}
	f.vec = s.vectorOf(path, before)
	err = s.settleFiles([]*file{f}, func(f *file) []segment {
		return []segment{{from: f.old, to: f.new, decide: always(byWindow(w, path))}}
	})
	if s.state.Expected == nil {
		s.state.Expected = map[string]refs.OID{}
	}
	s.state.Expected[path] = after.oid
	return err
}

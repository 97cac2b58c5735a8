package trails

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// unheardEdit is an edit of a call that no hook reported.
type unheardEdit struct {
	call *Told
	edit *ToldEdit
}

// retelling gives lines of intervals to calls that no hook reported, and gives the same lines in later contents and
// commits to them.
type retelling struct {
	log      *testimony
	contents retold
	parts    map[refs.OID][]events.CommitData // the corrected anchors, by commit
	changed  map[refs.OID]bool
}

func newRetelling(t *testimony) *retelling {
	r := &retelling{log: t, parts: map[refs.OID][]events.CommitData{}, changed: map[refs.OID]bool{}}
	r.contents = retold{known: t.step.tree.store.known, blob: t.step.tree.store.blob, lines: map[refs.OID][][]byte{}}
	return r
}

// interval finds the edits of a path in an interval. It returns the edits that it did not find: they may be in a later
// interval. If `strangers` is set, a person's other lines get an unknown owner.
func (r *retelling) interval(in *interval, edits []*unheardEdit, strangers bool) (left []*unheardEdit, err error) {
	var begun []*unheardEdit
	for _, e := range edits {
		if e.call.Began.Before(in.at) {
			begun = append(begun, e)
		} else {
			left = append(left, e)
		}
	}
	if len(begun) == 0 && !strangers {
		return left, nil
	}
	after, err := r.contents.of(in.after)
	if err != nil || after == nil {
		return edits, err
	}
	vec, found := r.log.step.tree.store.known.Get(in.path, in.after)
	if !found || vec.Len() != len(after) {
		return edits, nil
	}
	open := openLines(in, vec)
	before, err := r.log.step.tree.store.blob(in.before)
	if in.before.IsZero() || missing(err) {
		before, err = nil, nil
	}
	if err != nil {
		return edits, err
	}
	by := madeAgain(before, after, begun, open)
	shown := 0 // earlier edits than the last one in the interval were overwritten
	for i, e := range begun {
		if slices.Contains(by, e.call) {
			shown = i + 1
		}
	}
	left = append(slices.Clone(begun[shown:]), left...)
	for start := 0; start < len(after); {
		from, call := vec.At(start), by[start]
		takes := open[start] && (call != nil || strangers && from.Kind == events.OwnerHuman)
		end := start + 1
		for end < len(after) && open[end] == open[start] && by[end] == call && vec.At(end) == from {
			end++
		}
		if takes {
			if err := r.give(in, start, end, from, toldActor(call)); err != nil {
				return edits, err
			}
		}
		start = end
	}
	return left, nil
}

// openLines returns the lines that belong to a person or to nobody, by the patches of an interval.
func openLines(in *interval, vec vector.Vector) map[int]bool {
	open := map[int]bool{}
	for _, p := range in.patches {
		if p.Owner != events.OwnerHuman && p.Owner != events.OwnerUnknown {
			continue
		}
		for line := p.NewStart; line < p.NewStart+p.NewCount; line++ {
			kept := slices.ContainsFunc(p.Kept, func(k events.KeptRun) bool { return line >= k.Start && line < k.Start+k.Count })
			if o := vec.At(line - 1); !kept && o.Kind == p.Owner && (o.Patch == p.Patch || o.Kind == events.OwnerUnknown) {
				open[line-1] = true
			}
		}
	}
	return open
}

// madeAgain repeats edits on the old content of a file, one after the other, and returns their lines in the later
// content. If an edit does not fit, because a person has typed there too, only its specific lines count.
func madeAgain(before []byte, after [][]byte, edits []*unheardEdit, open map[int]bool) []*Told {
	out := make([]*Told, len(after))
	content := linediff.Split(before)
	owners := make([]*Told, len(content))
	var loose []*unheardEdit
	for _, e := range edits {
		made, ok := e.edit.Make(before)
		if !ok {
			loose = append(loose, e)
			continue
		}
		before = made
		now := linediff.Split(made)
		owners = carriedOver(content, now, owners, e.call)
		for line, by := range owners {
			if by == e.call && e.edit.Wrote != nil && !e.edit.Wrote(line) {
				owners[line] = nil // the edit found the line: somebody wrote it earlier in the interval
			}
		}
		content = now
	}
	for line, by := range carriedOver(withoutReturns(content), withoutReturns(after), owners, nil) {
		if open[line] {
			out[line] = by
		}
	}
	for _, e := range loose {
		said := map[string]bool{}
		for _, line := range e.edit.Lines {
			said[string(linediff.StripSpace([]byte(line)))] = true
		}
		near := false // the previous line is the edit's
		for line, text := range after {
			key := linediff.StripSpace(text)
			near = open[line] && out[line] == nil && said[string(key)] && (near || len(key) >= origin.Specific)
			if near {
				out[line] = e.call
			}
		}
	}
	return out
}

// carriedOver gives the lines of a content the owners of equal lines in another one, and gives new lines to the writer.
func carriedOver(old, now [][]byte, owners []*Told, writer *Told) []*Told {
	out := make([]*Told, 0, len(now))
	at := 0 // old lines taken so far
	for _, h := range linediff.Diff(old, now, linediff.Options{}).Hunks {
		out = append(out, owners[at:h.OldStart]...)
		out = append(out, slices.Repeat([]*Told{writer}, h.NewCount)...)
		at = h.OldStart + h.OldCount
	}
	return append(out, owners[at:]...)
}

// withoutReturns removes carriage returns, like session files.
func withoutReturns(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		out[i] = bytes.TrimSuffix(line, []byte("\r"))
	}
	return out
}

// toldActor returns the writer of lines from a record: a call, or nobody if `call` is nil.
func toldActor(call *Told) actor {
	who := actor{kind: events.OwnerUnknown, limits: []events.Limit{events.LimitNotReported}}
	if call != nil {
		who.kind, who.window = events.OwnerAI, &Window{
			Call: Call{Trace: call.Trace, Agent: call.Agent, Session: call.Session, Subagent: call.Subagent, ID: call.Call,
				Tool: call.Tool, Model: call.Model, Prompt: call.Prompt, Class: events.ToolEdits},
		}
	}
	return who
}

// `give` records another owner for lines of an interval.
func (r *retelling) give(in *interval, start, end int, from vector.Owner, who actor) error {
	to := r.log.step.write(r.log.by).ownerOf(who, patchSeed{
		interval: in.number, path: in.path, start: start, count: end - start, after: in.after, segment: -2,
	})
	lines, err := r.contents.of(in.after)
	if err != nil {
		return err
	}
	prints := make([]events.Fingerprint, 0, end-start)
	for _, line := range lines[start:end] {
		prints = append(prints, events.FingerprintOf(line))
	}
	data := events.PatchData{
		Patch: to.Patch, Interval: in.number, Path: events.EncodePath(in.path), Before: in.before, After: in.after,
		OldStart: start, NewStart: start + 1, NewCount: end - start, Owner: who.kind, Revises: from.Patch,
		Lines: events.EncodeFingerprints(prints),
	}
	if err := r.log.step.write(r.log.by).draftPatch(data, who, who.limits); err != nil {
		return err
	}
	run, err := r.contents.run(in.path, in.after, start, end, from, to)
	if err != nil {
		return err
	}
	paths := r.pathsOf(in.path, from.Patch)
	for _, commit := range r.log.commits {
		if err := r.anchored(commit, paths, run); err != nil {
			return err
		}
	}
	r.contents.apply(run, paths)
	return nil
}

// pathsOf returns the paths whose contents may now have lines of the given path.
func (r *retelling) pathsOf(path string, patch events.PatchID) []string {
	out := append([]string{path}, r.log.step.tree.store.known.Names(path)...)
	for _, in := range r.log.changes {
		for i := range in.patches {
			out = pathsWith(out, &in.patches[i], patch)
		}
	}
	return out
}

// pathsWith adds a patch's path if it was renamed from a listed path, or has moved lines of the patch.
func pathsWith(paths []string, p *events.PatchData, patch events.PatchID) []string {
	moved := p.OldPath != "" && slices.Contains(paths, events.RawPath(p.OldPath)) ||
		patch != "" && slices.ContainsFunc(p.Kept, func(k events.KeptRun) bool { return k.Patch == patch })
	if path := events.RawPath(p.Path); moved && !slices.Contains(paths, path) {
		paths = append(paths, path)
	}
	return paths
}

// `anchored` gives the lines of a run their new owner in a commit's anchor.
func (r *retelling) anchored(commit refs.OID, paths []string, run retoldRun) error {
	parts, known := r.parts[commit]
	if !known {
		parts = lastAnchor(r.log.anchors[commit])
		r.parts[commit] = parts
	}
	for i := range parts {
		p := &parts[i]
		for k := range p.Files {
			f := &p.Files[k]
			if !slices.Contains(paths, events.RawPath(f.Path)) {
				continue
			}
			lines, err := r.contents.of(f.Blob)
			if err != nil {
				return err
			}
			r.changed[commit] = r.file(p, f, lines, run) || r.changed[commit]
		}
	}
	return nil
}

// file gives the lines of a run their new owner in one file of an anchor's part.
func (r *retelling) file(p *events.CommitData, f *events.AnchorFile, lines [][]byte, run retoldRun) (changed bool) {
	var b vector.Builder
	tiers := make([]string, len(lines))
	index := map[vector.Owner]int{}
	for _, a := range f.Runs {
		if a.Start-1+a.Count > len(lines) || a.Start-1 < b.Len() {
			return false
		}
		described := p.Owners[a.Owner]
		o := vector.Owner{Kind: described.Kind, Patch: described.Patch, Previous: described.Previous}
		b.Add(outside, a.Start-1-b.Len())
		b.Add(o, a.Count)
		index[o] = a.Owner
		for line := a.Start - 1; line < a.Start-1+a.Count; line++ {
			tiers[line] = a.Tier
		}
	}
	b.Add(outside, len(lines)-b.Len())
	was := b.Vector()
	now := run.over(f.Blob, was, lines)
	if now.Equal(was) {
		return false
	}
	f.Runs = nil
	for line := range lines {
		o := now.At(line)
		if o == outside {
			continue
		}
		at, named := index[o]
		if !named {
			described := events.AnchorOwner{Kind: o.Kind, Limits: []events.Limit{events.LimitNotReported}}
			if o.Patch != "" {
				described = r.log.step.tree.store.owners.Describe(o.Patch)
				described.Previous = o.Previous
			}
			at = len(p.Owners)
			p.Owners, index[o] = append(slices.Clone(p.Owners), described), at
		}
		if n := len(f.Runs) - 1; n >= 0 && f.Runs[n].Owner == at && f.Runs[n].Tier == tiers[line] &&
			f.Runs[n].Start+f.Runs[n].Count == line+1 {
			f.Runs[n].Count++
			continue
		}
		f.Runs = append(f.Runs, events.AnchorRun{Start: line + 1, Count: 1, Owner: at, Tier: tiers[line]})
	}
	return true
}

// outside stands for the owner of lines that an anchor does not name.
var outside = vector.Owner{Kind: events.OwnerMixed, Patch: "outside"}

// anchorAnew makes the events that replace anchors.
func (r *retelling) anchorAnew() error {
	for _, commit := range r.log.commits {
		if !r.changed[commit] {
			continue
		}
		drafts, err := anewParts(r.parts[commit], r.log.by.env.Method)
		if err != nil {
			return fmt.Errorf("anchor %s anew: %w", commit, err)
		}
		r.log.step.write(r.log.by).add(drafts)
	}
	return nil
}

// retold gives lines their new owner in the later contents of a path. It recognises a line there by its old owner and
// its text: a run took some lines of a patch, and the others stay. So a rebuild can repeat it from the log alone.
type retold struct {
	known *ledger.Known
	blob  func(refs.OID) ([]byte, error)
	lines map[refs.OID][][]byte
}

// retoldRun says that lines of a content, counted from 0, have another owner than recorded.
type retoldRun struct {
	path       string
	after      refs.OID
	start, end int
	from, to   vector.Owner
	// took says, for each text of the old owner in the content, which of its lines the run took, in order.
	took map[string][]bool
}

// `of` returns the lines of a blob; none if the content is missing.
func (r *retold) of(blob refs.OID) ([][]byte, error) {
	if lines, read := r.lines[blob]; read {
		return lines, nil
	}
	t, err := readText(r.blob, blob)
	if err != nil {
		return nil, err
	}
	r.lines[blob] = t.Lines
	return t.Lines, nil
}

func (r *retold) run(path string, after refs.OID, start, end int, from, to vector.Owner) (retoldRun, error) {
	run := retoldRun{path: path, after: after, start: start, end: end, from: from, to: to, took: map[string][]bool{}}
	lines, err := r.of(after)
	if err != nil {
		return run, err
	}
	v, _ := r.known.Get(path, after)
	for line, text := range lines {
		if run.is(v.At(line)) {
			key := string(linediff.StripSpace(text))
			run.took[key] = append(run.took[key], line >= start && line < end)
		}
	}
	return run, nil
}

// `is` reports whether an owner is the old owner of the run's lines.
func (r *retoldRun) is(o vector.Owner) bool { return o.Kind == r.from.Kind && o.Patch == r.from.Patch }

// apply gives the lines of a run their new owner in all contents of some paths.
func (r *retold) apply(run retoldRun, paths []string) {
	for _, path := range paths {
		since := run.from.Patch != "" // lines without a known owner: only from the run's content on
		r.known.Revise(path, func(blob refs.OID, v vector.Vector) vector.Vector {
			since = since || path == run.path && blob == run.after
			if !since || !slices.ContainsFunc(v.Runs(), func(x vector.Run) bool { return run.is(x.Owner) }) {
				return v
			}
			lines, err := r.of(blob)
			if err != nil || len(lines) != v.Len() {
				return v // its content is gone
			}
			return run.over(blob, v, lines)
		})
	}
}

// `over` returns the owners of a content's lines, with the new owner for the lines of the run.
func (r *retoldRun) over(blob refs.OID, v vector.Vector, lines [][]byte) vector.Vector {
	var b vector.Builder
	seen := map[string]int{}
	for line, text := range lines {
		o := v.At(line)
		if !r.is(o) {
			b.Add(o, 1)
			continue
		}
		key := string(linediff.StripSpace(text))
		took, n := r.took[key], seen[key]
		seen[key]++
		mine := line >= r.start && line < r.end
		if blob != r.after {
			mine = len(took) > 0 && took[min(n, len(took)-1)] && (o.Patch != "" || len(key) >= origin.Specific)
		}
		if mine {
			o.Kind, o.Patch = r.to.Kind, r.to.Patch
		}
		if o.Kind == events.OwnerUnknown {
			o = vector.Unknown
		}
		b.Add(o, 1)
	}
	return b.Vector()
}

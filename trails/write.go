package trails

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// `finish` stores the contents and the owners of the step, appends its events and saves the state, in this order: a
// process killed in between repeats the step.
func (s *step) finish() error {
	if s.looks.snap != nil {
		if err := s.looks.snap.Flush(); err != nil {
			return err
		}
	}
	if err := s.tree.store.save(); err != nil {
		return err
	}
	if len(s.page.drafts) > 0 {
		if _, err := s.engine.log.Append(s.tree.ctx, s.page.drafts); err != nil && !spooled(err) {
			return err
		}
	}
	if s.looks.snap != nil {
		if err := s.looks.snap.Save(); err != nil {
			return fmt.Errorf("save snapshot state: %w", err)
		}
	}
	s.tree.state.Spooled = s.queue.dropLate()
	for _, name := range s.queue.late {
		s.tree.state.Spooled = append(s.tree.state.Spooled, filepath.Base(name))
	}
	if err := s.tree.state.save(s.tree.repo); err != nil {
		return err
	}
	s.queue.dropLate()
	if s.missed != nil {
		s.missed.Forget()
	}
	return nil
}

// draft adds an event with the envelope of this boundary.
func (rec *record) draft(typ events.Type, data any, change func(*events.Draft)) error {
	d := rec.heard.env
	d.Type = typ
	raw, err := events.Encode(data)
	if err != nil {
		return fmt.Errorf("encode %s: %w", typ, err)
	}
	d.Data = raw
	if change != nil {
		change(&d)
	}
	rec.add([]events.Draft{d})
	return nil
}

// add adds events of this work tree and moment.
func (rec *record) add(drafts []events.Draft) {
	for _, d := range drafts {
		d.Time, d.Worktree = rec.tree.time, rec.tree.repo.WorktreeName()
		rec.page.drafts = append(rec.page.drafts, d)
	}
}

// record is the phase of a step that writes: events, owners, and the state. The other phases write nothing.
type record struct {
	engine *Engine
	tree   *workTree
	seen   *witness
	page   *page
	heard  *heard
}

// page holds the events that a step appends, also for another work tree.
type page struct {
	writer string
	drafts []events.Draft
	counts map[string]int // number of recorded patches, by tool call
}

func newPage(writer string) *page { return &page{writer: writer, counts: map[string]int{}} }

// `begin` records the event of a boundary: the start or the end of a session, a prompt, the start of a sub-agent or a
// call, or the end of a turn. The parameter `keep` is the snapshot with the content before a call; nil if the boundary
// comes too late for one.
func (s *step) begin(
	h *heard, sess *sessionState, trace events.TraceID, b events.Boundary, keep *snapshot.Engine,
) error {
	if b.Subagent == "" {
		sess.Idle = b.Kind == events.TurnEnd || b.Kind == events.SessionEnd
	}
	switch b.Kind {
	case events.SessionStart:
		return s.write(h).startSession(b, b.Source)
	case events.SubagentStart:
		return s.write(h).startSubagent(sess, b)
	case events.PromptSubmit:
		return s.write(h).submit(sess, trace, b)
	case events.ToolBefore:
		return s.open(h, sess, trace, b, keep)
	case events.TurnEnd, events.SubagentEnd:
		return s.write(h).endTurn(sess, b)
	case events.SessionEnd:
		sess.Ended = true
		return s.write(h).draft(events.SessionEnded, events.SessionData{
			Source: b.Source, Model: sess.Model, Head: s.tree.now.Head, Tree: s.tree.state.Tree,
		}, nil)
	}
	return nil
}

func (rec *record) startSession(b events.Boundary, source string) error {
	return rec.draft(events.SessionStarted, events.SessionData{
		Source: source, Model: b.Model, Head: rec.tree.now.Head, Tree: rec.tree.state.Tree,
	}, func(d *events.Draft) { d.ToolCall = "" })
}

// startSubagent announces a sub-agent once; from then on its windows have its id.
func (rec *record) startSubagent(sess *sessionState, b events.Boundary) error {
	if b.Subagent == "" || slices.Contains(sess.Subagents, b.Subagent) {
		return nil
	}
	sess.Subagents = append(sess.Subagents, b.Subagent)
	return rec.draft(events.SessionStarted, events.SessionData{
		Source: "subagent", Model: b.Model, Head: rec.tree.now.Head, Type: b.SubagentType,
	}, func(d *events.Draft) { d.ToolCall, d.Limits = "", nil })
}

// submit numbers the prompt, and keeps its text beside the log until a redacted record has it.
func (rec *record) submit(sess *sessionState, trace events.TraceID, b events.Boundary) error {
	p := b.Prompt
	if p == nil {
		p = &events.Prompt{}
	}
	sess.nextPrompt(p.ID)
	if err := ledger.NewPrompts(rec.tree.repo).Put(trace, sess.Prompts, p.Text); err != nil {
		return err
	}
	return rec.draft(events.PromptSubmitted, events.PromptData{
		Index: sess.Prompts, Native: p.ID, Chars: utf8.RuneCountInString(p.Text), Kind: promptKind(b),
	}, nil)
}

// number records the prompts that the first phase has numbered.
func (rec *record) number() error {
	for _, p := range rec.heard.prompts {
		err := rec.draft(events.PromptSubmitted, p, func(d *events.Draft) { d.ToolCall = "" })
		if err != nil {
			return err
		}
	}
	rec.heard.prompts = nil
	return nil
}

// open opens the window of a tool call.
func (s *step) open(
	h *heard, sess *sessionState, trace events.TraceID, b events.Boundary, keep *snapshot.Engine,
) error {
	for _, w := range s.tree.state.openWindows() {
		if w.same(trace, b.Tool.CallID) {
			return nil // the same boundary was reported twice
		}
	}
	sess.Befores = true
	w := s.hear(h).newWindow(sess, trace, b)
	if err := s.write(h).number(); err != nil || w == nil {
		return err
	}
	if keep != nil && w.Run.Since != 0 { // else it was put aside
		w.Run.Since = process.Self() // the call begins when its hooks have ended
		w.Run.Opener = cmp.Or(process.Newest(), w.Run.Opener)
	}
	if err := s.write(h).startSubagent(sess, b); err != nil { // for an agent that does not announce sub-agents
		return err
	}
	for _, p := range w.Says.Paths {
		if keep == nil {
			break // a late boundary has no content from before the call
		}
		if err := keep.Keep(p); err != nil {
			return err
		}
	}
	s.tree.state.Windows = append(s.tree.state.Windows, w)
	return s.write(h).opened(w)
}

func (rec *record) endTurn(sess *sessionState, b events.Boundary) error {
	return rec.draft(events.TurnEnded, events.TurnData{
		Prompt: sess.Prompts, Interval: rec.tree.interval, Tree: rec.tree.state.Tree, Head: rec.tree.now.Head,
		Running: b.Running,
	}, nil)
}

func (rec *record) recordSnapshot(role string, o observation) error {
	scope := "paths"
	if o.full {
		scope = "full"
	}
	return rec.draft(events.SnapshotTaken, events.SnapshotData{
		Role: role, Scope: scope, Interval: rec.tree.interval, Tree: o.Tree, Head: rec.tree.now.Head,
		Changed: o.settled + len(o.Changes), Skipped: encodePaths(o.Skipped),
	}, func(d *events.Draft) {
		if len(o.Skipped) > 0 {
			d.Limits = unionLimits(d.Limits, []events.Limit{events.LimitPathNotCaptured})
		}
	})
}

// `opened` adds the beginning of a call to the log.
func (rec *record) opened(w *Window) error {
	return rec.draft(events.WindowOpened, rec.windowData(w, ""), func(d *events.Draft) { d.Limits = w.Limits })
}

func (rec *record) windowData(w *Window, status string) events.WindowData {
	return events.WindowData{
		Tool: w.Call.Tool, Class: string(w.Call.Class), Prompt: w.Call.Prompt, Model: w.Call.Model,
		Paths: encodePaths(w.Says.Paths), Interval: rec.tree.interval, Tree: rec.tree.state.Tree,
		Head: rec.tree.now.Head, Status: status,
	}
}

func encodePaths(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, events.EncodePath(p))
	}
	return out
}

// nextPrompt counts a prompt. The prompts from before the first hook have the first numbers, even if they are read
// later.
func (sess *sessionState) nextPrompt(id string) {
	sess.Prompts, sess.LastPrompt = max(sess.Prompts, sess.Earlier)+1, id
}

// recordEnds closes the windows, after their interval has been settled.
func (rec *record) recordEnds(ended []ending) error {
	for _, end := range ended {
		w := end.window
		typ := events.WindowClosed
		if end.status == "abandoned" || end.status == "rejected" {
			typ = events.WindowAbandoned
		}
		data := rec.windowData(w, end.status)
		data.Patches, data.Ended = rec.page.counts[w.Call.ID], rec.seen.toldEnd(w)
		err := rec.draft(typ, data, func(d *events.Draft) {
			d.ToolCall, d.Subagent = w.Call.ID, w.Call.Subagent
			d.Limits = unionLimits(w.Limits, end.limits)
		})
		if err != nil {
			return err
		}
		if end.status != "background" {
			w.Closed = rec.tree.interval
			w.Run.Background, w.Run.Left, w.Run.Printed = false, nil, nil
			w.Tail = end.status == "done" && w.Call.Class == events.ToolEdits
		}
		if err := rec.revise(w, data.Ended); err != nil {
			return err
		}
	}
	return nil
}

// endOrphans closes the windows whose processes have all ended, if no boundary of their conversation closed them.
func (rec *record) endOrphans(orphans []*Window) error {
	for _, w := range orphans {
		if w.Closed != 0 || len(rec.heard.env.Method) == 0 {
			continue
		}
		typ, status, limits := events.WindowAbandoned, "abandoned", []events.Limit{events.LimitMissingAfter}
		if w.Rejected {
			status, limits = "rejected", nil
		} else if len(w.Run.Left) > 0 {
			typ, status, limits = events.WindowClosed, "done", nil
		} else if b := rec.seen.bounds[w]; b != nil && b.doubt != "" {
			limits = append(limits, b.doubt)
		}
		data := rec.windowData(w, status)
		data.Patches, data.Ended = rec.page.counts[w.Call.ID], rec.seen.toldEnd(w)
		err := rec.draft(typ, data, func(d *events.Draft) {
			d.Trace, d.Agent, d.Session = w.Call.Trace, w.Call.Agent, w.Call.Session
			d.Subagent, d.ToolCall = w.Call.Subagent, w.Call.ID
			d.Limits = unionLimits(w.Limits, limits)
		})
		if err != nil {
			return err
		}
		w.Closed, w.Run.Background, w.Says.Edits = rec.tree.interval, false, nil
		if err := rec.revise(w, data.Ended); err != nil {
			return err
		}
	}
	return nil
}

// `spooled` reports whether an append put the events aside, so they are not lost.
func spooled(err error) bool { return errors.Is(err, events.ErrSpooled) }

// record writes the findings to the log, in their order.
func (rec *record) record(findings []finding) error {
	for _, f := range findings {
		var err error
		switch {
		case f.part != nil:
			err = rec.recordPart(f.part)
		case f.older != nil:
			err = rec.recordOlder(f.older)
		case f.whole != nil:
			err = rec.recordWhole(f.whole.file, f.whole.who)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordPart records the patches of a part.
func (rec *record) recordPart(f *found) error {
	for _, runs := range f.runs {
		for _, run := range runs {
			rec.noteWriters(&run.who)
		}
	}
	for i, h := range f.result.Hunks {
		for _, run := range f.runs[i] {
			if err := rec.recordPatch(f.part, run, h, f.restored, f.result.Capped); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordPatch adds the event of one patch. It skips a run if git restored all its lines.
func (rec *record) recordPatch(
	p *part, run patchRun, resolved vector.Hunk, restored map[int]vector.Owner, capped bool,
) error {
	oldStart := run.hunk.OldStart
	if run.oldLen == 0 {
		oldStart += run.hunk.OldCount // the place after the lines that the first run of the hunk replaced
	}
	h := linediff.Hunk{OldStart: oldStart, OldCount: run.oldLen, NewStart: run.first, NewCount: run.last - run.first}
	data := events.PatchData{
		Patch: run.owner.Patch, Interval: rec.tree.interval, Path: events.EncodePath(p.file.path),
		Before: p.seg.from.OID, After: p.seg.to.OID, Owner: run.who.kind, Candidates: run.who.candidates,
	}
	data.OldStart, data.OldCount, data.NewStart, data.NewCount = h.Numbers()
	if p.file.oldPath != p.file.path && p.index == 0 {
		data.OldPath = events.EncodePath(p.file.oldPath)
	}
	if run.oldLen > 0 {
		data.Previous = resolved.Replaced
	}
	data.Kept = keptRuns(run, resolved, restored)
	if allRestored(data.Kept, data.NewCount) {
		run.who, data.Owner, data.Candidates = nobody, nobody.kind, nil
	}
	prints := make([]events.Fingerprint, 0, run.last-run.first)
	for _, l := range p.seg.to.Lines[run.first:run.last] {
		prints = append(prints, events.FingerprintOf(l))
	}
	data.Lines = events.EncodeFingerprints(prints)
	limits := run.who.limits
	if capped {
		limits = unionLimits(limits, []events.Limit{events.LimitDiffCapped})
	}
	return rec.draftPatch(data, run.who, limits)
}

// draftPatch adds a patch_recorded event in the name of its actor, for any boundary.
func (rec *record) draftPatch(data events.PatchData, who actor, limits []events.Limit) error {
	if w := who.window; w != nil {
		data.Tool, data.Prompt, data.Model = w.Call.Tool, w.Call.Prompt, w.Call.Model
		rec.page.counts[w.Call.ID]++
		limits = unionLimits(limits, w.Limits)
	}
	if data.Owner == events.OwnerHuman {
		data.Evidence = who.evidence()
	}
	return rec.draft(events.PatchRecorded, data, func(d *events.Draft) {
		d.Trace, d.Agent, d.Session, d.Subagent, d.ToolCall, d.Step = "", "", "", "", "", 0
		if w := who.window; w != nil {
			d.Trace, d.Agent, d.Session, d.Subagent = w.Call.Trace, w.Call.Agent, w.Call.Session, w.Call.Subagent
			d.ToolCall, d.Step = w.Call.ID, w.Call.Step
		}
		d.Limits = limits
	})
}

// recordWhole records a change without lines: a binary file, a submodule, a changed mode.
func (rec *record) recordWhole(f *file, who actor) error {
	var limits []events.Limit
	if f.old.Whole || f.new.Whole {
		limits = append(limits, events.LimitBinary)
	}
	owner := rec.ownerOf(who, patchSeed{interval: rec.tree.interval, path: f.path, after: f.new.OID, segment: -1})
	data := events.PatchData{
		Patch: owner.Patch, Interval: rec.tree.interval, Path: events.EncodePath(f.path),
		Before: f.old.OID, After: f.new.OID, Owner: who.kind, Candidates: who.candidates,
	}
	rec.keepNested(f, owner)
	if f.oldPath != f.path {
		data.OldPath = events.EncodePath(f.oldPath)
	}
	if f.newMode != 0 && f.oldMode != f.newMode {
		data.Mode = fmt.Sprintf("%06o", f.newMode)
	}
	return rec.draftPatch(data, who, unionLimits(limits, who.limits))
}

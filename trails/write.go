package trails

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/vector"
)

// finish appends what the step found and saves the state, in this order: a process killed in between repeats the step.
func (s *step) finish() error {
	if s.snap != nil {
		if err := s.snap.Flush(); err != nil {
			return err
		}
	}
	if len(s.drafts) > 0 {
		if _, err := s.engine.log.Append(s.ctx, s.drafts); err != nil && !spooled(err) {
			return err
		}
	}
	if s.snap != nil {
		if err := s.snap.Save(); err != nil {
			return fmt.Errorf("save snapshot state: %w", err)
		}
	}
	s.state.Spooled = s.dropLate()
	for _, name := range s.queue.late {
		s.state.Spooled = append(s.state.Spooled, filepath.Base(name))
	}
	if err := s.state.save(s.repo); err != nil {
		return err
	}
	s.dropLate()
	if s.missed != nil {
		s.missed.Forget()
	}
	return nil
}

// draft adds an event with the envelope of this boundary.
func (s *step) draft(typ events.Type, data any, change func(*events.Draft)) error {
	d := s.env
	d.Type, d.Time, d.Worktree = typ, s.time, s.repo.WorktreeName()
	raw, err := events.Encode(data)
	if err != nil {
		return fmt.Errorf("encode %s: %w", typ, err)
	}
	d.Data = raw
	if change != nil {
		change(&d)
	}
	s.drafts = append(s.drafts, d)
	return nil
}

func newRecord(writer string) *record {
	return &record{writer: writer, counts: map[string]int{}, remembered: map[ledger.OwnerKey]bool{}}
}

// begin records the start or the prompt of a boundary.
func (s *step) begin(sess *sessionState, trace events.TraceID, b events.Boundary) error {
	if b.Subagent == "" {
		sess.Idle = b.Kind == events.TurnEnd || b.Kind == events.SessionEnd
	}
	switch b.Kind {
	case events.SessionStart:
		return s.startSession(b, b.Source)
	case events.SubagentStart:
		return s.startSubagent(sess, b)
	case events.PromptSubmit:
		return s.submit(sess, trace, b)
	case events.ToolBefore:
		return s.open(sess, trace, b)
	case events.TurnEnd, events.SubagentEnd:
		return s.endTurn(sess, b)
	case events.SessionEnd:
		sess.Ended = true
		return s.draft(events.SessionEnded, events.SessionData{
			Source: b.Source, Model: sess.Model, Head: s.now.Head, Tree: s.state.Tree,
		}, nil)
	}
	return nil
}

func (s *step) startSession(b events.Boundary, source string) error {
	return s.draft(events.SessionStarted, events.SessionData{
		Source: source, Model: b.Model, Head: s.now.Head, Tree: s.state.Tree,
	}, func(d *events.Draft) { d.ToolCall = "" })
}

// startSubagent announces a sub-agent once; its windows carry its id from then on.
func (s *step) startSubagent(sess *sessionState, b events.Boundary) error {
	if b.Subagent == "" || slices.Contains(sess.Subagents, b.Subagent) {
		return nil
	}
	sess.Subagents = append(sess.Subagents, b.Subagent)
	return s.draft(events.SessionStarted, events.SessionData{
		Source: "subagent", Model: b.Model, Head: s.now.Head, Type: b.SubagentType,
	}, func(d *events.Draft) { d.ToolCall, d.Limits = "", nil })
}

// submit numbers the prompt and keeps its text beside the log until a redacted record holds it.
func (s *step) submit(sess *sessionState, trace events.TraceID, b events.Boundary) error {
	p := b.Prompt
	if p == nil {
		p = &events.Prompt{}
	}
	sess.nextPrompt(p.ID)
	if err := ledger.NewPrompts(s.repo).Put(trace, sess.Prompts, p.Text); err != nil {
		return err
	}
	return s.draft(events.PromptSubmitted, events.PromptData{
		Index: sess.Prompts, Native: p.ID, Chars: utf8.RuneCountInString(p.Text), Kind: promptKind(b),
	}, nil)
}

// promptIndex returns the prompt that a tool call answers. A prompt that was submitted where this work tree could not
// see it is numbered when its first tool call arrives.
func (s *step) promptIndex(sess *sessionState, b events.Boundary) (int, error) {
	if b.Prompt == nil || b.Prompt.ID == "" || b.Prompt.ID == sess.LastPrompt {
		return sess.Prompts, nil
	}
	if sess.Prompts > 0 && sess.LastPrompt == "" {
		sess.LastPrompt = b.Prompt.ID // the agent names its prompts only from the first tool call on
		return sess.Prompts, nil
	}
	sess.nextPrompt(b.Prompt.ID)
	return sess.Prompts, s.draft(events.PromptSubmitted, events.PromptData{
		Index: sess.Prompts, Native: b.Prompt.ID, Kind: promptKind(b),
	}, func(d *events.Draft) { d.ToolCall = "" })
}

// open opens the window of a tool call.
func (s *step) open(sess *sessionState, trace events.TraceID, b events.Boundary) error {
	for _, w := range s.state.openWindows() {
		if w.same(trace, b.Tool.CallID) {
			return nil // the same boundary, reported twice
		}
	}
	sess.Befores = true
	w, err := s.newWindow(sess, trace, b)
	if err != nil || w == nil {
		return err
	}
	if s.snap != nil && w.Since != 0 { // else it was put aside
		w.Since = process.Self() // the call begins when its hooks have ended
		w.Opener = cmp.Or(process.Newest(), w.Opener)
	}
	if err := s.startSubagent(sess, b); err != nil { // by an agent that announces none
		return err
	}
	for _, p := range w.Paths {
		if s.snap == nil {
			break // a boundary that comes late cannot keep what was there
		}
		if err := s.snap.Keep(p); err != nil {
			return err
		}
	}
	s.state.Windows = append(s.state.Windows, w)
	return s.draft(events.WindowOpened, s.windowData(w, ""), func(d *events.Draft) { d.Limits = w.Limits })
}

func (s *step) endTurn(sess *sessionState, b events.Boundary) error {
	return s.draft(events.TurnEnded, events.TurnData{
		Prompt: sess.Prompts, Interval: s.interval, Tree: s.state.Tree, Head: s.now.Head, Running: b.Running,
	}, nil)
}

func (s *step) recordSnapshot(role string, o observation) error {
	scope := "paths"
	if o.full {
		scope = "full"
	}
	return s.draft(events.SnapshotTaken, events.SnapshotData{
		Role: role, Scope: scope, Interval: s.interval, Tree: o.Tree, Head: s.now.Head, Changed: o.settled + len(o.Changes),
		Skipped: encodePaths(o.Skipped),
	}, func(d *events.Draft) {
		if len(o.Skipped) > 0 {
			d.Limits = unionLimits(d.Limits, []events.Limit{events.LimitPathNotCaptured})
		}
	})
}

func (s *step) windowData(w *Window, status string) events.WindowData {
	return events.WindowData{
		Tool: w.Tool, Class: string(w.Class), Prompt: w.Prompt, Model: w.Model, Paths: encodePaths(w.Paths),
		Interval: s.interval, Tree: s.state.Tree, Head: s.now.Head, Status: status,
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

// recordEnds closes the windows, after the interval that they owned has been settled.
func (s *step) recordEnds(ended []ending) error {
	for _, end := range ended {
		w := end.window
		typ := events.WindowClosed
		if end.status == "abandoned" || end.status == "rejected" {
			typ = events.WindowAbandoned
		}
		data := s.windowData(w, end.status)
		data.Patches, data.Ended = s.counts[w.CallID], s.toldEnd(w)
		err := s.draft(typ, data, func(d *events.Draft) {
			d.ToolCall, d.Subagent = w.CallID, w.Subagent
			d.Limits = unionLimits(w.Limits, end.limits)
		})
		if err != nil {
			return err
		}
		if end.status != "background" {
			w.Closed = s.interval
			w.Background, w.Left, w.Printed = false, nil, nil
			w.Tail = end.status == "done" && w.Class == events.ToolEdits
		}
		if err := s.revise(w, data.Ended); err != nil {
			return err
		}
	}
	return nil
}

// endOrphans closes the windows whose processes have all ended, if no boundary of their conversation closed them.
func (s *step) endOrphans(orphans []*Window) error {
	for _, w := range orphans {
		if w.Closed != 0 || len(s.env.Method) == 0 {
			continue
		}
		typ, status, limits := events.WindowAbandoned, "abandoned", []events.Limit{events.LimitMissingAfter}
		if w.Rejected {
			status, limits = "rejected", nil
		} else if len(w.Left) > 0 {
			typ, status, limits = events.WindowClosed, "done", nil
		} else if b := s.bounds[w]; b != nil && b.doubt != "" {
			limits = append(limits, b.doubt)
		}
		data := s.windowData(w, status)
		data.Patches, data.Ended = s.counts[w.CallID], s.toldEnd(w)
		err := s.draft(typ, data, func(d *events.Draft) {
			d.Trace, d.Agent, d.Session, d.Subagent, d.ToolCall = w.Trace, w.Agent, w.Session, w.Subagent, w.CallID
			d.Limits = unionLimits(w.Limits, limits)
		})
		if err != nil {
			return err
		}
		w.Closed, w.Background, w.Edits = s.interval, false, nil
		if err := s.revise(w, data.Ended); err != nil {
			return err
		}
	}
	return nil
}

// spooled reports whether an append put the events aside instead of losing them.
func spooled(err error) bool { return errors.Is(err, events.ErrSpooled) }

// keepReported stores contents that are only in a tool's report. So the contents of every patch can be read.
func (s *step) keepReported(p *part) error {
	for _, t := range []text{p.seg.from, p.seg.to} {
		if t.oid.IsZero() || t.oid == p.file.old.oid && !p.file.reported || t.oid == p.file.new.oid && !p.file.reported {
			continue
		}
		if _, err := s.repo.WriteLoose(s.repo.SideObjects(), refs.BlobObject, t.bytes); err != nil {
			return fmt.Errorf("store a reported content: %w", err)
		}
	}
	return nil
}

// recordPatch adds the event of one patch. A run whose every line git restored is nobody's patch.
func (s *step) recordPatch(
	p *part, run patchRun, resolved vector.Hunk, restored map[int]vector.Owner, capped bool,
) error {
	oldStart := run.hunk.OldStart
	if run.oldLen == 0 {
		oldStart += run.hunk.OldCount // stands after what the first run of the hunk replaced
	}
	h := linediff.Hunk{OldStart: oldStart, OldCount: run.oldLen, NewStart: run.first, NewCount: run.last - run.first}
	data := events.PatchData{
		Patch: run.owner.Patch, Interval: s.interval, Path: events.EncodePath(p.file.path),
		Before: p.seg.from.oid, After: p.seg.to.oid, Owner: run.who.kind, Candidates: run.who.candidates,
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
	for _, l := range p.seg.to.lines[run.first:run.last] {
		prints = append(prints, events.FingerprintOf(l))
	}
	data.Lines = events.EncodeFingerprints(prints)
	limits := run.who.limits
	if capped {
		limits = unionLimits(limits, []events.Limit{events.LimitDiffCapped})
	}
	return s.draftPatch(data, run.who, limits)
}

// allRestored reports whether git put every one of n lines there.
func allRestored(kept []events.KeptRun, n int) bool {
	for _, k := range kept {
		if k.Why == "restored" {
			n -= k.Count
		}
	}
	return n == 0 && len(kept) > 0
}

// keptRuns lists the lines of a run that keep an older owner, and why.
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

// keptLine returns a run of one line, from 0, that keeps an older owner.
func keptLine(line int, owner vector.Owner, why string) events.KeptRun {
	kept := events.KeptRun{Start: line + 1, Count: 1, Patch: owner.Patch, Kind: owner.Kind, Why: why}
	if owner.Reformatted {
		kept.Form = "other"
	}
	return kept
}

// draftPatch adds a patch_recorded event in the name of its actor, at whatever boundary it was found.
func (s *step) draftPatch(data events.PatchData, who actor, limits []events.Limit) error {
	if w := who.window; w != nil {
		data.Tool, data.Prompt, data.Model = w.Tool, w.Prompt, w.Model
		s.counts[w.CallID]++
		limits = unionLimits(limits, w.Limits)
	}
	if data.Owner == events.OwnerHuman {
		data.Evidence = who.evidence()
	}
	return s.draft(events.PatchRecorded, data, func(d *events.Draft) {
		d.Trace, d.Agent, d.Session, d.Subagent, d.ToolCall, d.Step = "", "", "", "", "", 0
		if w := who.window; w != nil {
			d.Trace, d.Agent, d.Session, d.Subagent = w.Trace, w.Agent, w.Session, w.Subagent
			d.ToolCall, d.Step = w.CallID, w.Step
		}
		d.Limits = limits
	})
}

// recordWhole records a change that has no lines to own: a binary file, a submodule, a changed mode.
func (s *step) recordWhole(f *file) error {
	var limits []events.Limit
	if f.old.whole || f.new.whole {
		limits = append(limits, events.LimitBinary)
	}
	who := *s.decide(f.path)(nil)
	if by, ok := s.turnedUp(f.path, f.new.oid); ok {
		who = *by(nil)
	}
	seed := patchSeed{interval: s.interval, path: f.path, after: f.new.oid, segment: -1}
	owner := s.ownerOf(who, seed)
	data := events.PatchData{
		Patch: owner.Patch, Interval: s.interval, Path: events.EncodePath(f.path),
		Before: f.old.oid, After: f.new.oid, Owner: who.kind, Candidates: who.candidates,
	}
	if err := s.keepNested(f, owner); err != nil {
		return err
	}
	if f.oldPath != f.path {
		data.OldPath = events.EncodePath(f.oldPath)
	}
	if f.newMode != 0 && f.oldMode != f.newMode {
		data.Mode = fmt.Sprintf("%06o", f.newMode)
	}
	return s.draftPatch(data, who, unionLimits(limits, who.limits))
}

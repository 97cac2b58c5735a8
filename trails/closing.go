package trails

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// ending is a window that this boundary ends, and how.
type ending struct {
	window *Window
	status string // done, failed, background, abandoned, rejected
	limits []events.Limit
}

// endWindows decides, before the snapshot, which windows end at this boundary. A window that never ran is taken out at
// once. So changes of that time are not credited to it; the others still own the interval that ends here.
func (s *step) endWindows(trace events.TraceID, b events.Boundary) []ending {
	var out []ending
	if b.Kind == events.ToolAfter || b.Kind == events.ToolFailed {
		end := s.endOf(trace, b)
		if end.window != nil {
			s.heardDuration(end.window, b)
			s.leaveRunning(&end)
		}
		out = append(out, end)
	}
	for _, w := range s.state.openWindows() {
		if w.Trace != trace || slices.ContainsFunc(out, func(e ending) bool { return e.window == w }) {
			continue
		}
		if b.Tool != nil && w.CallID == b.Tool.CallID {
			continue
		}
		if end, ended := s.overdue(w, b); ended {
			out = append(out, end)
		}
	}
	return slices.DeleteFunc(out, func(e ending) bool { return e.window == nil })
}

// endOf returns the window of an after-boundary. Without its before-boundary a window is made up that begins where the
// paths were last seen.
func (s *step) endOf(trace events.TraceID, b events.Boundary) ending {
	status := "done"
	switch {
	case b.Kind == events.ToolFailed:
		status = "failed"
	case b.Tool.Background:
		status = "background"
	}
	for _, w := range s.state.Windows {
		over := w.Closed != 0 && !w.Background // another boundary came first that found it over
		if w != s.state.call(trace, b) || over && w.Rejected {
			continue
		}
		if w.Closed = 0; over || s.interval > w.Opened+1 {
			s.hearFinish(w)
		}
		w.declare(s.repo, b.Tool)
		if paths := s.toolPaths(b); len(paths) > 0 {
			w.Paths = paths // a link that it was given may have become a file
		}
		w.Doubt = false // it was open until now
		if b.Tool.Rejected {
			w.Rejected, status = true, "rejected"
		}
		w.Background, w.TaskID = b.Tool.Background, b.Tool.TaskID
		if w.Model == "" && b.Model != "" && b.AnsweredFor(w.Begun) {
			w.Model, w.Limits = b.Model, without(w.Limits, events.LimitModelUnknown)
		}
		return ending{window: w, status: status}
	}
	sess := s.state.Sessions[trace]
	w, err := s.newWindow(sess, trace, b)
	if err != nil || w == nil {
		return ending{}
	}
	open := func(o *Window) bool { return o.Trace == trace }
	if sess.Befores && !s.engine.Elsewhere && !slices.ContainsFunc(s.state.openWindows(), open) {
		s.lose(events.LimitMissingBefore) // this agent says when a call begins; that boundary was lost
	}
	w.Limits = unionLimits(w.Limits, []events.Limit{events.LimitMissingBefore})
	// it wrote what it says; what else changed since then it need not have
	w.Doubt = w.Class == events.ToolEdits && len(w.payload) > 0 || s.engine.Elsewhere // it may only have come here
	s.state.Windows = append(s.state.Windows, w)
	return ending{window: w, status: status}
}

// beganUnheard reports whether one of the ending windows is of a call whose before-boundary never came.
func beganUnheard(ended []ending) bool {
	return slices.ContainsFunc(ended, func(end ending) bool {
		return slices.Contains(end.window.Limits, events.LimitMissingBefore)
	})
}

// overdue reports whether a window of the same conversation can no longer be open at this boundary, though its own
// after-boundary never came: rejected by the user, blocked, killed, or a background call that has ended.
func (s *step) overdue(w *Window, b events.Boundary) (ending, bool) {
	if len(w.Left) > 0 {
		return ending{}, false // see endOrphans
	}
	if w.Background {
		gone := b.Kind == events.SessionEnd ||
			b.Kind == events.TurnEnd && b.Running != nil && !slices.Contains(b.Running, w.TaskID)
		return ending{window: w, status: "done"}, gone || s.endTold(w).Outcome == OutcomeRan
	}
	var must bool
	switch b.Kind {
	case events.SessionStart, events.SessionEnd:
		must = true
	case events.PromptSubmit:
		must = w.Subagent == "" && promptKind(b) != events.SourceTask
	case events.TurnEnd:
		must = w.Subagent == ""
	case events.SubagentEnd:
		must = w.Subagent == b.Subagent
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		if w.Subagent != b.Subagent {
			return ending{}, false
		}
	default:
		return ending{}, false
	}
	switch s.endTold(w).Outcome {
	case OutcomeRejected:
		w.Rejected = true
		return ending{window: w, status: "rejected"}, true
	case OutcomeRan:
		return ending{window: w, status: "abandoned", limits: []events.Limit{events.LimitMissingAfter}}, true
	default:
		return ending{window: w, status: "abandoned", limits: []events.Limit{events.LimitMissingAfter}}, must
	}
}

// Overdue closes calls with recorded lines, if their agents have written down since that they are over. A reader asks
// for it, so that it does not tell what the agent's own record contradicts. Where there is no such call it takes no
// lock and writes nothing.
func (e *Engine) Overdue(ctx context.Context, at time.Time) error {
	state, err := loadState(e.repo)
	if err != nil || !slices.ContainsFunc(state.openWindows(), e.tellsOtherwise) {
		return err
	}
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		if s.over = append(s.over, s.askTranscripts()...); len(s.over) == 0 {
			return nil
		}
		return s.lookAtAll("manual")
	})
}

// tellsOtherwise reports whether an agent's own record says that a call with recorded lines has ended.
func (e *Engine) tellsOtherwise(w *Window) bool {
	if w.Wrote == 0 || w.Background {
		return false
	}
	end := e.settle.end(w)
	return end.Outcome == OutcomeRejected || end.Outcome == OutcomeRan && !end.At.IsZero()
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

// maxDeclared bounds the declared texts that the state keeps of one window, in bytes.
const maxDeclared = 1 << 20

// declare copies a tool call's declarations about its paths.
func (w *Window) declare(repo *refs.Repo, tool *events.ToolUse) {
	var edits []declared
	for _, e := range tool.Edits {
		rel, ok := inside(repo.WorkTree, target(e.Path))
		if !ok {
			continue
		}
		edits = append(edits, declared{
			Path: rel, Old: e.Old, New: e.New, Before: e.Before, After: e.After, Exact: e.Exact, Proposed: e.Proposed,
			typed: e.Typed, at: e.At,
		})
	}
	if len(edits) > 0 && textSize(tool.Edits) <= maxDeclared {
		w.Edits = edits
	}
	w.payload = edits
	w.hearNames(repo, tool)
}

// hearNames notes the files of the work tree in a call's command line.
func (w *Window) hearNames(repo *refs.Repo, tool *events.ToolUse) {
	dirs := map[string]string{}
	for _, abs := range slices.Concat(tool.Hints, tool.Names) {
		dir, name := filepath.Split(abs)
		if _, known := dirs[dir]; !known {
			dirs[dir] = filepath.Dir(resolveDir(abs))
		}
		rel, ok := inside(repo.WorkTree, filepath.Join(dirs[dir], name))
		if key := nameKey(rel); ok && !slices.Contains(w.Names, key) {
			w.Names = append(w.Names, key)
		}
	}
}

// textSize returns the number of bytes of text that edits declare.
func textSize(edits []events.DeclaredEdit) int {
	size := 0
	for _, e := range edits {
		size += len(e.Old) + len(e.New)
		for _, whole := range []*string{e.Before, e.After, e.Proposed} {
			if whole != nil {
				size += len(*whole)
			}
		}
	}
	return size
}

// spooled reports whether an append put the events aside instead of losing them.
func spooled(err error) bool { return errors.Is(err, events.ErrSpooled) }

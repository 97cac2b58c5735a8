package trails

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/route"
)

// An ending holds a window that this boundary ends, and the status of the end.
type ending struct {
	window *Window
	status string // done, failed, background, abandoned, rejected
	limits []events.Limit
}

// endWindows decides, before the snapshot, which windows end at this boundary. A window that never ran is removed at
// once. So changes of that time are not credited to it; the others still own the interval that ends here.
func (hr *hearer) endWindows(trace events.TraceID, b events.Boundary) []ending {
	var out []ending
	if b.Kind == events.ToolAfter || b.Kind == events.ToolFailed {
		end := hr.endOf(trace, b)
		if end.window != nil {
			hr.seen.heardDuration(end.window, b)
			hr.leaveRunning(&end)
		}
		out = append(out, end)
	}
	for _, w := range hr.tree.state.openWindows() {
		if w.Call.Trace != trace || slices.ContainsFunc(out, func(e ending) bool { return e.window == w }) {
			continue
		}
		if b.Tool != nil && w.Call.ID == b.Tool.CallID {
			continue
		}
		if end, ended := hr.overdue(w, b); ended {
			out = append(out, end)
		}
	}
	return slices.DeleteFunc(out, func(e ending) bool { return e.window == nil })
}

// endOf returns the window of an after-boundary. Without its before-boundary, a window is made up: it begins at the
// last look at the paths.
func (hr *hearer) endOf(trace events.TraceID, b events.Boundary) ending {
	status := "done"
	switch {
	case b.Kind == events.ToolFailed:
		status = "failed"
	case b.Tool.Background:
		status = "background"
	}
	if w := hr.tree.state.call(trace, b); w != nil {
		over := w.Closed != 0 && !w.Run.Background // an earlier boundary found that it was over
		if !over || !w.Rejected {
			return hr.endCall(w, b, status, over)
		}
	}
	sess := hr.tree.state.Sessions[trace]
	w := hr.newWindow(sess, trace, b)
	if w == nil {
		return ending{}
	}
	open := func(o *Window) bool { return o.Call.Trace == trace }
	if sess.Befores && !hr.engine.Elsewhere && !slices.ContainsFunc(hr.tree.state.openWindows(), open) {
		hr.tree.lose(events.LimitMissingBefore) // this agent reports when a call begins; that boundary was lost
	}
	w.Limits = unionLimits(w.Limits, []events.Limit{events.LimitMissingBefore})
	// the call wrote the text that it reports, but perhaps not the other changes; if the call ran in another work tree,
	// git may have brought its file here
	w.Doubt = w.Call.Class == events.ToolEdits && len(w.Says.payload) > 0 || hr.engine.Elsewhere
	hr.tree.state.Windows = append(hr.tree.state.Windows, w)
	return ending{window: w, status: status}
}

// endCall ends the window of a call whose after-boundary came. The parameter `over` says that an earlier boundary ended
// it.
func (hr *hearer) endCall(w *Window, b events.Boundary, status string, over bool) ending {
	if w.Closed = 0; over || hr.tree.interval > w.Opened+1 {
		hr.seen.hearFinish(w)
	}
	w.declare(hr.tree.repo, b.Tool)
	if paths := hr.toolPaths(b); len(paths) > 0 {
		w.Says.Paths = paths // a link that it named may have become a file
	}
	w.Doubt = false // it was open until now
	if b.Tool.Rejected {
		w.Rejected, status = true, "rejected"
	}
	w.Run.Background, w.Run.TaskID = b.Tool.Background, b.Tool.TaskID
	if w.Call.Model == "" && b.Model != "" && b.AnsweredFor(w.Run.Begun) {
		w.Call.Model, w.Limits = b.Model, without(w.Limits, events.LimitModelUnknown)
	}
	return ending{window: w, status: status}
}

// beganUnheard reports whether one of the ending windows belongs to a call whose before-boundary never came.
func beganUnheard(ended []ending) bool {
	return slices.ContainsFunc(ended, func(end ending) bool {
		return slices.Contains(end.window.Limits, events.LimitMissingBefore)
	})
}

// `overdue` reports whether a window of the same conversation can no longer be open at this boundary, though its own
// after-boundary never came: rejected by the user, blocked, killed, or a background call that has ended.
func (hr *hearer) overdue(w *Window, b events.Boundary) (ending, bool) {
	if len(w.Run.Left) > 0 {
		return ending{}, false // see endOrphans
	}
	if w.Run.Background {
		gone := b.Kind == events.SessionEnd ||
			b.Kind == events.TurnEnd && b.Running != nil && !slices.Contains(b.Running, w.Run.TaskID)
		return ending{window: w, status: "done"}, gone || hr.seen.endTold(w).Outcome == OutcomeRan
	}
	var must bool
	switch b.Kind {
	case events.SessionStart, events.SessionEnd:
		must = true
	case events.PromptSubmit:
		must = w.Call.Subagent == "" && promptKind(b) != events.SourceTask
	case events.TurnEnd:
		must = w.Call.Subagent == ""
	case events.SubagentEnd:
		must = w.Call.Subagent == b.Subagent
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		if w.Call.Subagent != b.Subagent {
			return ending{}, false
		}
	default:
		return ending{}, false
	}
	switch hr.seen.endTold(w).Outcome {
	case OutcomeRejected:
		w.Rejected = true
		return ending{window: w, status: "rejected"}, true
	case OutcomeRan:
		return ending{window: w, status: "abandoned", limits: []events.Limit{events.LimitMissingAfter}}, true
	default:
		return ending{window: w, status: "abandoned", limits: []events.Limit{events.LimitMissingAfter}}, must
	}
}

// Overdue closes calls with recorded lines that have ended meanwhile, according to their agents' records. A reader
// calls it, so that its answer does not contradict the agent's own record. Without such a call it takes no lock and
// writes nothing.
func (e *Engine) Overdue(ctx context.Context, at time.Time) error {
	state, err := loadState(e.repo)
	if err != nil || !slices.ContainsFunc(state.openWindows(), e.tellsOtherwise) {
		return err
	}
	return e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.Manual}}
		if h.over = s.seen.gone(); len(h.over) == 0 {
			return nil
		}
		return s.lookAt(h, nil, "manual")
	})
}

// tellsOtherwise reports whether an agent's own record shows the end of a call with recorded lines.
func (e *Engine) tellsOtherwise(w *Window) bool {
	if w.Wrote == 0 || w.Run.Background {
		return false
	}
	end := e.settle.end(w)
	return end.Outcome == OutcomeRejected || end.Outcome == OutcomeRan && !end.At.IsZero()
}

// maxDeclared limits the declared texts that the state keeps of one window, in bytes.
const maxDeclared = 1 << 20

// `declare` copies a tool call's declarations about its paths.
func (w *Window) declare(repo *refs.Repo, tool *events.ToolUse) {
	var edits []declared
	for _, e := range tool.Edits {
		rel, ok := route.Inside(repo.WorkTree, route.Target(e.Path))
		if !ok {
			continue
		}
		edits = append(edits, declared{
			Path: rel, Old: e.Old, New: e.New, Before: e.Before, After: e.After, Exact: e.Exact, Proposed: e.Proposed,
			typed: e.Typed, put: e.Put, at: e.At,
		})
	}
	if len(edits) > 0 && textSize(tool.Edits) <= maxDeclared {
		w.Says.Edits = edits
	}
	w.Says.payload = edits
	w.hearNames(repo, tool)
}

// hearNames notes the files of the work tree in a call's command line.
func (w *Window) hearNames(repo *refs.Repo, tool *events.ToolUse) {
	dirs := map[string]string{}
	for _, abs := range slices.Concat(tool.Hints, tool.Names) {
		dir, name := filepath.Split(abs)
		if _, known := dirs[dir]; !known {
			dirs[dir] = filepath.Dir(route.ResolveDir(abs))
		}
		rel, ok := route.Inside(repo.WorkTree, filepath.Join(dirs[dir], name))
		if key := nameKey(rel); ok && !slices.Contains(w.Says.Names, key) {
			w.Says.Names = append(w.Says.Names, key)
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

// pair gives a call an id of the timeline's own, if its agent gave it none. The end of such a call gets the sub-agent
// of its beginning. The boundaries of a call are matched by content and order (see openUnnamed).
func (hr *hearer) pair(sess *sessionState, trace events.TraceID, b *events.Boundary) {
	if b.Tool == nil || b.Tool.CallID != "" || b.Tool.Fingerprint == "" {
		return
	}
	tool := *b.Tool // a boundary may concern several work trees, and each keeps its own id
	b.Tool = &tool
	if b.Kind != events.ToolBefore {
		if w := hr.openUnnamed(trace, b); w != nil {
			tool.CallID, b.Subagent = w.Call.ID, w.Call.Subagent
		}
	}
	if tool.CallID == "" {
		sess.Unnamed++
		tool.CallID = fmt.Sprintf("paired-%s-%d", tool.Fingerprint, sess.Unnamed)
	}
	hr.heard.env.ToolCall, hr.heard.env.Subagent = tool.CallID, b.Subagent
}

// openUnnamed returns the window that an after-boundary without an id ends: the oldest open window of its conversation
// with the same tool and the same input. If an agent names the sub-agent only at the beginning of a call, the window of
// any sub-agent fits. If the agent changed the input meanwhile, the oldest window with the same tool and the same
// declared paths is taken. It returns nil if there is none.
func (hr *hearer) openUnnamed(trace events.TraceID, b *events.Boundary) *Window {
	var elsewhere, changed *Window
	paths := hr.toolPaths(*b)
	for _, w := range hr.tree.state.openWindows() {
		if w.Call.Trace != trace || w.Call.Print == "" || w.Call.Tool != b.Tool.Name {
			continue
		}
		own, same := w.Call.Subagent == b.Subagent, w.Call.Print == b.Tool.Fingerprint
		switch {
		case own && same:
			return w
		case same && b.Subagent == "" && elsewhere == nil:
			elsewhere = w
		case own && changed == nil && slices.Equal(w.Says.Paths, paths):
			changed = w
		}
	}
	return cmp.Or(elsewhere, changed)
}

// An agent may ask a person for consent after it has announced a call. Until they consent the call writes nothing, and
// changes are the person's. Some agents report at the end how long the call ran (heardDuration). For other agents,
// processes show it while the call is open: a call that runs has a shell. After the end, there is no evidence: the call
// owns the changes that it may have written, with a doubt.

// consent is the state of the person's consent to an open call.
type consent int

const (
	consentGiven   consent = iota // the person consented, or was not asked
	consentAwaited                // the call runs a shell, and no shell of the call is alive
	consentUnknown
)

// takeConsent takes a boundary at which an agent asks for consent. Until then the call has done nothing.
func (s *step) takeConsent(h *heard, trace events.TraceID, b events.Boundary) error {
	h.env.Limits = nil
	for _, w := range s.tree.state.asked(trace, b) {
		s.seen.bounds[w].consent = consentAwaited
	}
	if s.queue.ahead == nil {
		return nil
	}
	_, err := s.look(h, nil)
	return err
}

// `asked` returns the calls that a dialog may be about, and notes them. If the agent does not name a call, the dialog
// may be about any call of the conversation.
func (s *state) asked(trace events.TraceID, b events.Boundary) []*Window {
	var out []*Window
	for _, w := range s.openWindows() {
		switch {
		case w.Call.Trace != trace || w.Run.Background || len(w.Run.Left) > 0:
		case b.Tool != nil && b.Tool.CallID != "" && b.Tool.CallID != w.Call.ID:
		case b.Tool != nil && b.Tool.CallID == "" && (b.Tool.Name != w.Call.Tool || b.Subagent != w.Call.Subagent):
		default:
			w.Asked = b.Time
			out = append(out, w)
		}
	}
	return out
}

// consentTo returns the state of the person's consent to a call. The parameter `state` is the state of the call's
// agent.
func (wit *witness) consentTo(w *Window, state process.State) consent {
	switch {
	case w.Asked.IsZero() || w.Call.Class == events.ToolEdits || w.Call.Session != wit.caller && wit.around(w):
		return consentGiven
	case w.Call.Class != events.ToolRuns || state != process.Alive:
		return consentUnknown
	}
	found, known := w.seenBy(wit.caller != "").Left()
	switch {
	case len(found) > 0:
		return consentGiven
	case known:
		return consentAwaited
	}
	return consentUnknown
}

// endsHere reports whether a window ends at this boundary.
func (h *heard) endsHere(w *Window) bool {
	return slices.ContainsFunc(h.closing, func(end ending) bool { return end.window == w })
}

// declaredAlone returns a decision about the path of an edit call that had to wait for consent: the call owns only the
// text that it declared. The person had time to write the rest; a program that follows the edit may have written it,
// too.
func declaredAlone(w *Window, path string) decision {
	texts := declaredLines(w, path)
	own, unknown := byWindow(w, path), actor{kind: events.OwnerUnknown, limits: []events.Limit{events.LimitConsentUnknown}}
	return func(line []byte) *actor {
		if texts[string(linediff.StripSpace(line))] {
			return &own
		}
		return &unknown
	}
}

// hearEnd reads the end of a call with a dialog from the agent's own record. A call that has ended may have had
// consent, even if it has no process now: for example, a person allowed a command and then interrupted it.
func (b *bound) hearEnd(w *Window, end End) {
	b.unbegun = end.Unbegun && !w.Asked.IsZero()
	if b.consent == consentAwaited && end.Outcome == OutcomeRan {
		b.consent = consentUnknown
	}
}

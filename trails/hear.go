package trails

import (
	"context"
	"os"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Handle takes one boundary of an agent into the timeline. Boundaries of tools that only read change nothing.
func (e *Engine) Handle(ctx context.Context, b events.Boundary) error {
	if b.OnlyReads() {
		return nil
	}
	if methods[b.Kind] == "" {
		return nil // a changed directory or a compaction shows the agent's place, and no action
	}
	defer e.Announced.Begin(e.repo, b)()
	return e.advance(ctx, b.Time, &b, func(s *step, h *heard) error { return s.take(h, b, nil) })
}

// `heard` holds the facts of a boundary for all phases. If a second boundary is taken during the snapshot of the first,
// it gets its own value.
type heard struct {
	env     events.Draft        // common fields of all its events
	host    process.ID          // the process that called the hook
	sure    bool                // the host is the agent itself
	closing []ending            // the windows that end now
	over    []*Window           // windows for which nothing can write after this step
	ended   *batch              // the conversation or subagent whose calls have now ended, with all their hooks
	prompts []events.PromptData // prompts that became known with their first call
	editor  *editor
	// unreported says that a conversation without hooks continues: it may have made a change that no window explains.
	unreported bool
}

// editor holds the reports of editors in a step.
type editor struct {
	saved []declared
	fresh []completed // see completions
}

// `within` returns the facts of a boundary that came before the present one.
func (h *heard) within() *heard { return &heard{editor: h.editor, unreported: h.unreported} }

// hearer is the phase that hears: it finds the conversation of a boundary, and the calls that begin or end.
type hearer struct {
	engine   *Engine
	tree     *workTree
	seen     *witness
	heard    *heard
	queue    *queue
	declares map[*events.ToolUse][]string // see toolPaths
}

// methods maps a boundary to the method that saw it.
var methods = map[events.BoundaryKind]events.Method{
	events.SessionStart: events.HookSessionStart, events.PromptSubmit: events.HookPrompt,
	events.ToolBefore: events.HookToolBefore, events.ToolAfter: events.HookToolAfter,
	events.ToolFailed: events.HookToolAfter, events.TurnEnd: events.HookStop, events.SessionEnd: events.HookStop,
	events.ConsentAsked: events.HookToolBefore,
	events.ToolsEnd:     events.HookToolAfter, events.SubagentStart: events.HookSessionStart,
	events.SubagentEnd: events.HookStop, events.Completed: events.HookToolAfter, events.Saved: events.HookToolAfter,
}

// envelope sets the fields that all events of a boundary have.
func (hr *hearer) envelope(trace events.TraceID, b events.Boundary) {
	hr.heard.env = events.Draft{
		Trace: trace, Agent: b.Agent, Session: b.Session, Subagent: b.Subagent,
		Method: []events.Method{methods[b.Kind]}, Limits: b.Limits,
	}
	if b.Tool != nil {
		hr.heard.env.ToolCall = b.Tool.CallID
	}
}

// take handles one boundary, under the lock: it finds the conversation, ends windows, attributes changes, and opens
// windows. A boundary that was put aside comes with a function that settles the changes known to be earlier, and gets
// no snapshot of its own. Without a glance, the other changes may be earlier too: then a call gets only its declared
// edits (see doubted, segments).
func (s *step) take(h *heard, b events.Boundary, settle func(*heard) error) error {
	late := settle != nil
	unseen := late && s.queue.glance == nil
	if unseen {
		b.Limits = unionLimits(b.Limits, []events.Limit{events.LimitBoundaryLate})
	}
	b.Session = s.hear(h).sessionOf(b)
	trace := events.NewTraceID(b.Agent, b.Session)
	s.hear(h).envelope(trace, b)
	switch {
	case b.Kind == events.ConsentAsked && late:
		s.tree.state.asked(trace, b)
		return nil
	case b.Kind == events.ConsentAsked:
		return s.takeConsent(h, trace, b)
	case ofEditor(b.Kind) && late:
		if err := settle(h); err != nil {
			return err
		}
		return s.takeBuffer(h, trace, b, false)
	case ofEditor(b.Kind):
		return s.takeBuffer(h, trace, b, true)
	}
	sess, adopted := s.hear(h).adopt(trace, b)
	if !unseen {
		s.seen.live(trace, b)
	}
	s.hear(h).pair(sess, trace, &b)
	h.closing = s.hear(h).endWindows(trace, b)
	if err := s.write(h).number(); err != nil {
		return err
	}
	if late {
		if err := settle(h); err != nil {
			return err
		}
		if unseen {
			s.tree.lose(events.LimitBoundaryLate)
		}
		if err := s.record(h, sess, trace, b, adopted, nil); err != nil || !unseen { // the content before the call is lost
			return err
		}
		late := events.IncompleteData{Boundary: string(b.Kind), Reason: "time_limit"}
		return s.write(h).draft(events.CaptureIncomplete, late, nil)
	}
	if b.Kind == events.ToolsEnd {
		h.ended = &batch{trace, b.Subagent}
	}
	o, looked, err := s.lookFor(h, b, adopted)
	if err != nil {
		return err
	}
	s.judge(h).endTails(trace, b)
	if err := s.settle(h, (*weigher).expect); err != nil {
		return err
	}
	s.looks.keepSayings(h.closing)
	if err := s.record(h, sess, trace, b, adopted, s.looks.snap); err != nil {
		return err
	}
	for _, end := range h.closing {
		end.window.Says.Edits = nil // the declared edits are no longer needed
	}
	if looked && b.Tool == nil && (o.found() || len(o.Skipped) > 0) {
		return s.write(h).recordSnapshot(roleOf(b.Kind, adopted), o)
	}
	return nil
}

// record records what a boundary ends and begins. For the parameter `keep`, see begin.
func (s *step) record(
	h *heard, sess *sessionState, trace events.TraceID, b events.Boundary, adopted bool, keep *snapshot.Engine,
) error {
	if err := s.write(h).recordEnds(h.closing); err != nil {
		return err
	}
	if b.Kind == events.ToolBefore || beganUnheard(h.closing) {
		s.tree.state.doubtEarlier(trace, b)
	}
	if adopted && b.Kind != events.SessionStart {
		if err := s.write(h).startSession(b, "adopted"); err != nil {
			return err
		}
	}
	return s.begin(h, sess, trace, b, keep)
}

// sessionOf returns the session of a boundary. Some agents report the work of a sub-agent under the id of its starter,
// which may be a sub-agent itself.
func (hr *hearer) sessionOf(b events.Boundary) string {
	if b.Subagent == "" || hr.tree.state.Sessions[events.NewTraceID(b.Agent, b.Session)] != nil {
		return b.Session
	}
	for _, sess := range hr.tree.state.Sessions {
		if sess.Agent == b.Agent && slices.Contains(sess.Subagents, b.Session) {
			return sess.Session
		}
	}
	return b.Session
}

// lookFor reads the part of the work tree that the boundary needs: the declared paths of an edit tool, nothing at the
// start of a sub-agent, else everything. A new conversation always gets a full snapshot.
func (s *step) lookFor(h *heard, b events.Boundary, adopted bool) (o observation, looked bool, err error) {
	paths := s.hear(h).toolPaths(b)
	switch {
	case s.queue.ahead != nil:
	case b.Kind == events.SubagentStart:
		return o, false, nil
	case adopted || b.Tool == nil || b.Tool.Class != events.ToolEdits:
		paths = nil
	case len(paths) == 0:
		return o, false, nil
	}
	s.looks.listens = b.Tool != nil && !adopted
	o, err = s.look(h, paths)
	return o, true, err
}

// adopt finds the conversation in the state, or adds it. A conversation first seen in the middle takes its first
// snapshot here: earlier changes belong to no window.
func (hr *hearer) adopt(trace events.TraceID, b events.Boundary) (sess *sessionState, adopted bool) {
	sess = hr.tree.state.Sessions[trace]
	if adopted = sess == nil; adopted {
		sess = &sessionState{Agent: b.Agent, Session: b.Session}
		if b.Transcript != "" && hr.engine.Earlier != nil {
			sess.Earlier = hr.engine.Earlier(b)
		}
		hr.tree.state.Sessions[trace] = sess
	}
	sess.Last = hr.tree.time
	sess.Ended = false
	hr.hearHost(sess, b)
	if b.Subagent == "" && b.Model != "" {
		sess.Model = b.Model
	}
	if b.Subagent == "" && b.Tool == nil && (b.Model != "" || b.Kind == events.SessionStart) {
		sess.Stated = b.Model
	}
	return sess, adopted
}

// promptKind distinguishes a person's prompt from a message of the agent's own background task.
func promptKind(b events.Boundary) string {
	if b.Source == events.SourceTask {
		return events.SourceTask
	}
	return events.SourceUser
}

// newWindow describes the call of a tool boundary; nil for a tool that declares no path of this work tree.
func (hr *hearer) newWindow(sess *sessionState, trace events.TraceID, b events.Boundary) *Window {
	paths := hr.toolPaths(b)
	if b.Tool.Class == events.ToolEdits && len(paths) == 0 {
		return nil
	}
	prompt := hr.promptIndex(sess, b)
	sess.Steps++
	model, limits := b.Model, b.Limits
	if model == "" && b.Subagent == "" && sess.Stated != "" && !slices.Contains(limits, events.LimitSubagentUnknown) {
		model = sess.Stated
		limits = without(limits, events.LimitModelUnknown)
	}
	w := &Window{
		Call: Call{Trace: trace, Agent: b.Agent, Session: b.Session, Subagent: b.Subagent, ID: b.Tool.CallID,
			Print: b.Tool.Fingerprint, Tool: b.Tool.Name,
			Class: b.Tool.Class, Model: model, Prompt: prompt, Transcript: b.Transcript},
		Says: sayings{Paths: paths}, Opened: hr.tree.interval, Limits: limits,
		Run: running{Host: hr.heard.host, Sure: hr.heard.sure, Since: b.Moment, Begun: hr.tree.time,
			Mark: b.Mark, Opener: os.Getpid(), Awake: process.Awake(),
			Background: b.Tool.Background, TaskID: b.Tool.TaskID},
	}
	w.declare(hr.tree.repo, b.Tool)
	return w
}

// promptIndex returns the prompt that a tool call answers. A prompt that this work tree did not see gets its number
// when its first tool call arrives.
func (hr *hearer) promptIndex(sess *sessionState, b events.Boundary) int {
	switch {
	case b.Prompt == nil || b.Prompt.ID == "" || b.Prompt.ID == sess.LastPrompt:
	case sess.Prompts > 0 && sess.LastPrompt == "":
		sess.LastPrompt = b.Prompt.ID // the agent names its prompts from the first tool call on
	default:
		sess.nextPrompt(b.Prompt.ID)
		hr.heard.prompts = append(hr.heard.prompts,
			events.PromptData{Index: sess.Prompts, Native: b.Prompt.ID, Kind: promptKind(b)})
	}
	return sess.Prompts
}

// toolPaths returns the declared paths in this work tree. For a link, it adds the link's target. It resolves links
// once: each lookup costs as many system calls as the path has directories.
func (hr *hearer) toolPaths(b events.Boundary) []string {
	if b.Tool == nil {
		return nil
	}
	out, found := hr.declares[b.Tool]
	if found {
		return out
	}
	for _, abs := range b.Tool.Paths {
		for _, rel := range route.Names(hr.tree.repo, abs) {
			if !slices.Contains(out, rel) {
				out = append(out, rel)
			}
		}
	}
	hr.declares[b.Tool] = out
	return out
}

func roleOf(kind events.BoundaryKind, adopted bool) string {
	switch {
	case adopted || kind == events.SessionStart:
		return "origin"
	case kind == events.PromptSubmit:
		return "prompt"
	case kind == events.SessionEnd:
		return "session_end"
	default:
		return "turn_end"
	}
}

// lose notes that boundaries were lost since the last look, with the reason if it is known.
func (tree *workTree) lose(why events.Limit) {
	tree.state.Lost.At, tree.state.Lost.Why = tree.interval, why
}

// hearMissed processes the notes of hooks that could not record, and reports them in the log.
func (s *step) hearMissed(h *heard) error {
	missed := recorded.MissedIn(s.tree.repo.GitDir, s.tree.state.Lost.Missed.Last)
	if missed.Hooks == 0 {
		return nil
	}
	s.missed = &missed
	s.tree.state.Lost.Missed.Add(missed)
	s.tree.lose(events.LimitHookMissed)
	s.tree.state.doubtWindows()
	return s.write(h).draft(events.CaptureIncomplete, events.IncompleteData{
		Boundary: string(events.ToolAfter), Reason: "not_recorded",
	}, func(d *events.Draft) { d.Method = []events.Method{events.Manual} })
}

// restoredNow notes that git wrote to the work tree since the last look.
func (tree *workTree) restoredNow() {
	tree.state.RestoredAt, tree.asks.Whole.Restored, tree.asks.Whole.Doubtful = tree.interval, true, false
}

// doubtWindows notes that every open window may have ended.
func (s *state) doubtWindows() {
	for _, w := range s.openWindows() {
		w.Doubt = true
	}
}

// doubtEarlier marks the open windows of a conversation when its next call begins, or ends without a known beginning.
// The next call may run at the same time; or the end of the earlier call was lost, and it does not own later changes.
func (s *state) doubtEarlier(trace events.TraceID, b events.Boundary) {
	for _, w := range s.openWindows() {
		if w.Call.Trace == trace && w.Call.Subagent == b.Subagent && w.Call.ID != b.Tool.CallID && !w.Run.Background {
			w.Doubt = true
		}
	}
}

package trails

import (
	"context"
	"os"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/route"
)

// Handle takes one boundary of an agent into the timeline. Boundaries of tools that only read change nothing.
func (e *Engine) Handle(ctx context.Context, b events.Boundary) error {
	if b.OnlyReads() {
		return nil
	}
	if methods[b.Kind] == "" {
		return nil // a changed directory or a compaction says where the agent is, not what it did
	}
	defer e.Announced.Begin(e.repo, b)()
	e.caller = b.Session
	e.looksAhead = !e.Patient
	defer func() { e.looksAhead = false }()
	return e.advance(ctx, b.Time, func(s *step) error { return s.take(b) })
}

// methods says by which hook a boundary was seen.
var methods = map[events.BoundaryKind]events.Method{
	events.SessionStart: events.HookSessionStart, events.PromptSubmit: events.HookPrompt,
	events.ToolBefore: events.HookToolBefore, events.ToolAfter: events.HookToolAfter,
	events.ToolFailed: events.HookToolAfter, events.TurnEnd: events.HookStop, events.SessionEnd: events.HookStop,
	events.ConsentAsked: events.HookToolBefore,
	events.ToolsEnd:     events.HookToolAfter, events.SubagentStart: events.HookSessionStart,
	events.SubagentEnd: events.HookStop, events.Completed: events.HookToolAfter, events.Saved: events.HookToolAfter,
}

// envelope sets the fields that all events of a boundary have.
func (s *step) envelope(trace events.TraceID, b events.Boundary) {
	s.env = events.Draft{
		Trace: trace, Agent: b.Agent, Session: b.Session, Subagent: b.Subagent,
		Method: []events.Method{methods[b.Kind]}, Limits: b.Limits,
	}
	if b.Tool != nil {
		s.env.ToolCall = b.Tool.CallID
	}
}

// take handles one boundary, under the lock: it finds the conversation, ends windows, attributes changes, and opens
// windows.
func (s *step) take(b events.Boundary) error {
	b.Session = s.sessionOf(b)
	trace := events.NewTraceID(b.Agent, b.Session)
	s.envelope(trace, b)
	if b.Kind == events.ConsentAsked {
		return s.takeConsent(trace, b)
	}
	if ofEditor(b.Kind) {
		return s.takeBuffer(trace, b, true)
	}
	sess, adopted := s.adopt(trace, b)
	s.live(trace, b)
	s.pair(sess, trace, &b)
	s.closing = s.endWindows(trace, b)
	if b.Kind == events.ToolsEnd {
		s.ended = &batch{trace, b.Subagent}
	}
	o, looked, err := s.lookFor(b, adopted)
	if err != nil {
		return err
	}
	s.endTails(trace, b)
	if err := s.expect(); err != nil {
		return err
	}
	s.keepSayings()
	if err := s.recordEnds(s.closing); err != nil {
		return err
	}
	for _, end := range s.closing {
		end.window.Edits = nil // they have told what they can
	}
	if b.Kind == events.ToolBefore || beganUnheard(s.closing) {
		s.doubtEarlier(trace, b)
	}
	if adopted && b.Kind != events.SessionStart {
		if err := s.startSession(b, "adopted"); err != nil {
			return err
		}
	}
	if err := s.begin(sess, trace, b); err != nil {
		return err
	}
	if looked && b.Tool == nil && (o.found() || len(o.Skipped) > 0) {
		return s.recordSnapshot(roleOf(b.Kind, adopted), o)
	}
	return nil
}

// sessionOf returns the session that a boundary belongs to. Some agents report the work of a sub-agent under the id
// of its starter, which may be a sub-agent itself.
func (s *step) sessionOf(b events.Boundary) string {
	if b.Subagent == "" || s.state.Sessions[events.NewTraceID(b.Agent, b.Session)] != nil {
		return b.Session
	}
	for _, sess := range s.state.Sessions {
		if sess.Agent == b.Agent && slices.Contains(sess.Subagents, b.Session) {
			return sess.Session
		}
	}
	return b.Session
}

// lookFor looks at as much of the work tree as the boundary calls for: the declared paths of an edit tool, everything
// at any other boundary and when a conversation is first seen, nothing when a sub-agent only starts.
func (s *step) lookFor(b events.Boundary, adopted bool) (o observation, looked bool, err error) {
	paths := s.toolPaths(b)
	switch {
	case s.queue.ahead != nil:
	case b.Kind == events.SubagentStart:
		return o, false, nil
	case adopted || b.Tool == nil || b.Tool.Class != events.ToolEdits:
		paths = nil
	case len(paths) == 0:
		return o, false, nil
	}
	o, err = s.look(paths)
	return o, true, err
}

// adopt finds the conversation in the state or takes it in. A conversation first seen in the middle takes its origin
// snapshot here: what was dirty before belongs to nobody's window.
func (s *step) adopt(trace events.TraceID, b events.Boundary) (sess *sessionState, adopted bool) {
	sess = s.state.Sessions[trace]
	if adopted = sess == nil; adopted {
		sess = &sessionState{Agent: b.Agent, Session: b.Session}
		if b.Transcript != "" && s.engine.Earlier != nil {
			sess.Earlier = s.engine.Earlier(b)
		}
		s.state.Sessions[trace] = sess
	}
	sess.Last = s.time
	sess.Ended = false
	s.hearHost(sess, b)
	if b.Subagent == "" && b.Model != "" {
		sess.Model = b.Model
	}
	if b.Subagent == "" && b.Tool == nil && (b.Model != "" || b.Kind == events.SessionStart) {
		sess.Stated = b.Model
	}
	return sess, adopted
}

// promptKind tells a person's prompt from a message of the agent's own background task.
func promptKind(b events.Boundary) string {
	if b.Source == events.SourceTask {
		return events.SourceTask
	}
	return events.SourceUser
}

// newWindow describes the call of a tool boundary; nil for a tool that declares no path of this work tree.
func (s *step) newWindow(sess *sessionState, trace events.TraceID, b events.Boundary) (*Window, error) {
	paths := s.toolPaths(b)
	if b.Tool.Class == events.ToolEdits && len(paths) == 0 {
		return nil, nil
	}
	prompt, err := s.promptIndex(sess, b)
	if err != nil {
		return nil, err
	}
	sess.Steps++
	model, limits := b.Model, b.Limits
	if model == "" && b.Subagent == "" && sess.Stated != "" && !slices.Contains(limits, events.LimitSubagentUnknown) {
		model = sess.Stated
		limits = without(limits, events.LimitModelUnknown)
	}
	w := &Window{
		Trace: trace, Agent: b.Agent, Session: b.Session, Subagent: b.Subagent, CallID: b.Tool.CallID,
		Print: b.Tool.Fingerprint, Tool: b.Tool.Name,
		Class: b.Tool.Class, Model: model, Prompt: prompt, Paths: paths, Opened: s.interval, Transcript: b.Transcript,
		Host: s.host, Sure: s.sure, Since: b.Moment, Begun: s.time, Mark: b.Mark, Opener: os.Getpid(),
		Awake:      process.Awake(),
		Background: b.Tool.Background, TaskID: b.Tool.TaskID, Limits: limits,
	}
	w.declare(s.repo, b.Tool)
	return w, nil
}

// toolPaths returns the declared paths in this work tree. Where one is a link, the file that it leads to is added. They
// are looked up once: the way to each costs as many system calls as it has directories.
func (s *step) toolPaths(b events.Boundary) []string {
	if b.Tool == nil {
		return nil
	}
	out, found := s.declares[b.Tool]
	if found {
		return out
	}
	for _, abs := range b.Tool.Paths {
		for _, rel := range route.Names(s.repo, abs) {
			if !slices.Contains(out, rel) {
				out = append(out, rel)
			}
		}
	}
	if s.declares == nil {
		s.declares = map[*events.ToolUse][]string{}
	}
	s.declares[b.Tool] = out
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

// lose notes that boundaries were lost since the last look, and why if that is known.
func (s *workTree) lose(why events.Limit) { s.state.Lost, s.state.LostWhy = s.interval, why }

// hearMissed takes into account which hooks could not record, and says so in the log.
func (s *step) hearMissed() error {
	missed := recorded.MissedIn(s.repo.GitDir, s.state.Missed.Last)
	if missed.Hooks == 0 {
		return nil
	}
	s.missed = &missed
	s.state.Missed.Add(missed)
	s.lose(events.LimitHookMissed)
	s.doubtWindows()
	return s.draft(events.CaptureIncomplete, events.IncompleteData{
		Boundary: string(events.ToolAfter), Reason: "not_recorded",
	}, func(d *events.Draft) { d.Method = []events.Method{events.Manual} })
}

// restoredNow notes that git wrote to the work tree since the last look.
func (s *workTree) restoredNow() {
	s.state.RestoredAt, s.asks.Whole.Restored, s.asks.Whole.Doubtful = s.interval, true, false
}

// doubtWindows notes that any window that is open may have ended.
func (s *workTree) doubtWindows() {
	for _, w := range s.state.openWindows() {
		w.Doubt = true
	}
}

// doubtEarlier marks the open windows of a conversation when its next call begins, or ends without a known
// beginning. The next call may run beside them; or their end was lost, and later changes are not theirs.
func (s *workTree) doubtEarlier(trace events.TraceID, b events.Boundary) {
	for _, w := range s.state.openWindows() {
		if w.Trace == trace && w.Subagent == b.Subagent && w.CallID != b.Tool.CallID && !w.Background {
			w.Doubt = true
		}
	}
}

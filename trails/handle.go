package trails

import (
	"cmp"
	"context"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/process"
)

// Handle takes one boundary of an agent into the timeline. Boundaries of tools that only read change nothing.
func (e *Engine) Handle(ctx context.Context, b events.Boundary) error {
	if onlyReads(b) {
		return nil
	}
	if methods[b.Kind] == "" {
		return nil // a changed directory or a compaction says where the agent is, not what it did
	}
	defer e.begin(b)()
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

// nextPrompt counts a prompt. The prompts from before the first hook have the first numbers, even if they are read
// later.
func (sess *sessionState) nextPrompt(id string) {
	sess.Prompts, sess.LastPrompt = max(sess.Prompts, sess.Earlier)+1, id
}

// promptKind tells a person's prompt from a message of the agent's own background task.
func promptKind(b events.Boundary) string {
	if b.Source == events.SourceTask {
		return events.SourceTask
	}
	return events.SourceUser
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
		for _, rel := range names(s.repo, abs) {
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

func (s *step) endTurn(sess *sessionState, b events.Boundary) error {
	return s.draft(events.TurnEnded, events.TurnData{
		Prompt: sess.Prompts, Interval: s.interval, Tree: s.state.Tree, Head: s.now.Head, Running: b.Running,
	}, nil)
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

package events

import "time"

// BoundaryKind names a moment at which an agent's hook runs.
type BoundaryKind string

// The boundaries an agent can report. Session and prompt boundaries end intervals that no window explains; tool
// boundaries open and close windows.
const (
	SessionStart  BoundaryKind = "session_start"
	PromptSubmit  BoundaryKind = "prompt"
	ToolBefore    BoundaryKind = "tool_before"
	ToolAfter     BoundaryKind = "tool_after"
	ToolFailed    BoundaryKind = "tool_failed"
	ToolsEnd      BoundaryKind = "tools_end" // all calls of an answer have ended, and all hooks that belong to them
	TurnEnd       BoundaryKind = "turn_end"
	SessionEnd    BoundaryKind = "session_end"
	SubagentStart BoundaryKind = "subagent_start"
	SubagentEnd   BoundaryKind = "subagent_end"
	Compaction    BoundaryKind = "compaction"
	CwdChanged    BoundaryKind = "cwd_changed"
	ConsentAsked  BoundaryKind = "consent_asked" // a dialog opened: the call waits for a person
	Completed     BoundaryKind = "completed"     // a person accepted a completion in an editor; the file may be unsaved
	Saved         BoundaryKind = "saved"         // a person saved a file in an editor
)

// Boundary is one hook call of an agent, decoded from its payload: the conversation, the time, the tool, and the
// declared paths. It is only in memory or, if it cannot be handled in time, in the spool. Texts of prompts and edits
// are never in an event.
type Boundary struct {
	Kind         BoundaryKind `json:"kind"`
	Agent        string       `json:"agent"`   // claude-code, codex-cli, …
	Session      string       `json:"session"` // the agent's own session id
	Subagent     string       `json:"subagent,omitempty"`
	SubagentType string       `json:"subagent_type,omitempty"`
	Model        string       `json:"model,omitempty"` // name of the model in the agent's form; empty if unknown
	Time         time.Time    `json:"time"`
	// Answered is the time of the answer that names the model, or of the end of the previous call. It is zero if the agent
	// does not report it, or if the boundary was deferred.
	Answered time.Time `json:"-"`
	// Done is the time of a person's action in an editor; zero if the editor does not report it.
	Done       time.Time `json:"done,omitzero"`
	Cwd        string    `json:"cwd,omitempty"`        // absolute
	Transcript string    `json:"transcript,omitempty"` // absolute path of the session file
	// session start: startup, resume, fork, clear, compact; session end: the reason
	Source  string   `json:"source,omitempty"`
	Prompt  *Prompt  `json:"prompt,omitempty"`
	Tool    *ToolUse `json:"tool,omitempty"`
	Process int      `json:"process,omitempty"` // the agent's process; 0 if unknown
	// Parent is the process that started the hook, without shells in between; 0 if unknown. Moment is the start of the
	// hook, in the system's units.
	Parent int   `json:"parent,omitempty"`
	Moment int64 `json:"moment,omitempty"`
	// Mark is an entry in the environment of the agent's child processes, for agents whose session id is not in that
	// environment.
	Mark string `json:"mark,omitempty"`
	// Running lists the ids of background tasks that still run at a turn's end, according to the agent; nil if the agent
	// does not report them.
	Running []string `json:"running,omitempty"`
	Limits  []Limit  `json:"limits,omitempty"`
}

// answerSlack is the longest time between an answer, or the previous call, and the next call of that answer: other
// hooks run before ours.
const answerSlack = 5 * time.Second

// OnlyReads reports whether the boundary's call changes no file.
func (b *Boundary) OnlyReads() bool {
	return b.Tool != nil && b.Tool.Class == ToolReads && len(b.Tool.Paths) == 0
}

func (b *Boundary) EndsCall() bool { return b.Kind == ToolAfter || b.Kind == ToolFailed }

// AnsweredFor reports whether the boundary's model may belong to a call that began at a given time. A late session file
// may end with an earlier answer.
func (b *Boundary) AnsweredFor(begun time.Time) bool {
	return b.Answered.IsZero() || !begun.After(b.Answered.Add(answerSlack))
}

// Prompt is the user's prompt. On a tool boundary only the ID is set: the prompt that the call answers.
type Prompt struct {
	ID   string `json:"id,omitempty"` // the agent's own id of the prompt
	Text string `json:"text,omitempty"`
}

// Sources of a prompt boundary.
const (
	SourceUser = "user"
	SourceTask = "task" // sent at the end of a background task, not by a person
)

// ToolClass says what a tool can do to a work tree.
type ToolClass string

// The classes of tools. An unknown tool counts as ToolAnything.
const (
	ToolReads   ToolClass = "read"    // never writes: no window, no snapshot
	ToolEdits   ToolClass = "edit"    // writes only the paths that it declares
	ToolRuns    ToolClass = "run"     // a shell: may write anywhere
	ToolUnknown ToolClass = "unknown" // unknown tool: it may write anywhere
)

// ToolCompletion is the tool name of an accepted completion.
const ToolCompletion = "completion"

// ToolUse is one tool call at one of its boundaries.
type ToolUse struct {
	CallID string `json:"call_id"`
	// Fingerprint replaces a missing call id: it is made from the tool and its input, and is equal at every boundary of
	// the call.
	Fingerprint string    `json:"fingerprint,omitempty"`
	Name        string    `json:"name"`
	Class       ToolClass `json:"class"`
	// Paths holds the absolute paths that the call declares to write, with unresolved symlinks.
	Paths []string `json:"paths,omitempty"`
	// Edits holds the declared texts of the call for its paths, in order.
	Edits []DeclaredEdit `json:"edits,omitempty"`
	// Hints holds absolute paths that the call mentions and may touch (paths in a command line); they only help to find
	// repositories and are never evidence of ownership.
	Hints []string `json:"hints,omitempty"`
	// Names holds absolute paths of files that a command's text names, written or not. The names and the command line are
	// not stored.
	Names []string `json:"-"`
	// Background means that the call continues after its after-boundary; TaskID is the agent's name of the running task.
	Background bool   `json:"background,omitempty"`
	TaskID     string `json:"task_id,omitempty"`
	// Lasted is the duration of the call in milliseconds, without the wait for consent; 0 if the agent does not report it.
	Lasted int64 `json:"lasted,omitempty"`
	// Rejected means that the call never ran (denied by the user, blocked by another hook).
	Rejected bool `json:"rejected,omitempty"`
}

// DeclaredEdit is a tool call's declaration about one path. Before and After are whole contents when the agent reports
// them; Old and New are the replaced and the replacing text.
type DeclaredEdit struct {
	Path   string  `json:"path"`
	Old    string  `json:"old,omitempty"`
	New    string  `json:"new,omitempty"`
	Before *string `json:"before,omitempty"` // the whole file before the edit; "" for a file that the tool created
	After  *string `json:"after,omitempty"`  // the whole file after the edit
	// Exact means that the tool replaced Old by New and left the rest of the file unchanged.
	Exact bool `json:"exact,omitempty"`
	// Proposed is the agent's proposal, if a person changed it before they allowed the tool to write.
	Proposed *string `json:"proposed,omitempty"`
	// Typed holds the lines of Before that an editor saw a person type.
	Typed []LineRun `json:"typed,omitempty"`
	// Put holds the lines of Before with text that an editor saw arrive, and that may be typed or a completion.
	Put []LineRun `json:"put,omitempty"`
	// `At` is the place where an editor replaced Old by New, if it does not report the whole buffer.
	At *Place `json:"at,omitempty"`
}

// Place is a place in a buffer. Lines and characters count from 1. Text is its line before the edit.
type Place struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// LineRun is a run of lines. First and Last are line numbers, from 1; Last belongs to the run.
type LineRun struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

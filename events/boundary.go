package events

import "time"

// BoundaryKind names a moment at which an agent's hook runs.
type BoundaryKind string

// The boundaries an agent can report. Session and prompt boundaries close what no window explains; tool boundaries open
// and close windows.
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
)

// Boundary is one hook call of an agent, decoded from its payload: who, when, which tool, and what the tool said it
// would touch. It lives in memory and, for a boundary that cannot be handled in time, in the spool; texts of prompts
// and edits never enter an event.
type Boundary struct {
	Kind         BoundaryKind `json:"kind"`
	Agent        string       `json:"agent"`   // claude-code, codex-cli, …
	Session      string       `json:"session"` // the agent's own session id
	Subagent     string       `json:"subagent,omitempty"`
	SubagentType string       `json:"subagent_type,omitempty"`
	Model        string       `json:"model,omitempty"` // as the agent names it; empty when not known
	Time         time.Time    `json:"time"`
	// Answered is when the answer was given that names the model, or when the call before this one ended. It is zero where
	// the agent does not tell, and where the boundary was put aside.
	Answered   time.Time `json:"-"`
	Cwd        string    `json:"cwd,omitempty"`        // absolute
	Transcript string    `json:"transcript,omitempty"` // absolute path of the session file
	// session start: startup, resume, fork, clear, compact; session end: the reason
	Source  string   `json:"source,omitempty"`
	Prompt  *Prompt  `json:"prompt,omitempty"`
	Tool    *ToolUse `json:"tool,omitempty"`
	Process int      `json:"process,omitempty"` // of the agent, where it tells; 0 when not known
	// Parent is the process that started the hook, shells in between left out; 0 when not known. Moment is when the hook
	// started, in the units of the system.
	Parent int   `json:"parent,omitempty"`
	Moment int64 `json:"moment,omitempty"`
	// Mark is an entry in the environment of all that the agent starts, where its session id does not stand in it.
	Mark string `json:"mark,omitempty"`
	// Running lists the ids of background tasks that the agent says are still running at a turn end; nil when it does not
	// say.
	Running []string `json:"running,omitempty"`
	Limits  []Limit  `json:"limits,omitempty"`
}

// answerSlack is how long after an answer, or after the call before it, the next call of that answer may begin: the
// hooks of others run before ours.
const answerSlack = 5 * time.Second

// AnsweredFor reports whether the boundary's model can be the one of a call that began at a time. A session file that
// lags may end with an earlier answer about the same.
func (b *Boundary) AnsweredFor(begun time.Time) bool {
	return b.Answered.IsZero() || !begun.After(b.Answered.Add(answerSlack))
}

// Prompt is what the user asked. On a tool boundary only the ID is set: the prompt that the call answers.
type Prompt struct {
	ID   string `json:"id,omitempty"` // the agent's own id of the prompt
	Text string `json:"text,omitempty"`
}

// Sources of a prompt boundary.
const (
	SourceUser = "user"
	SourceTask = "task" // sent by the end of a background task, not by a person
)

// ToolClass says what a tool can do to a work tree.
type ToolClass string

// The classes of tools. An unknown tool is treated as one that may write anywhere.
const (
	ToolReads   ToolClass = "read"    // never writes: no window, no snapshot
	ToolEdits   ToolClass = "edit"    // writes the paths it declares and nothing else
	ToolRuns    ToolClass = "run"     // a shell: may write anywhere
	ToolUnknown ToolClass = "unknown" // not known: may write anywhere
)

// ToolUse is one tool call at one of its boundaries.
type ToolUse struct {
	CallID string `json:"call_id"`
	// Fingerprint stands in for the id of an agent that gives none: made of the tool and its input, the same at every
	// boundary of the call.
	Fingerprint string    `json:"fingerprint,omitempty"`
	Name        string    `json:"name"`
	Class       ToolClass `json:"class"`
	// Paths are the absolute paths that the call declares it writes, symlinks as given.
	Paths []string `json:"paths,omitempty"`
	// Edits are the texts that the call declares, in order, for its paths.
	Edits []DeclaredEdit `json:"edits,omitempty"`
	// Hints are absolute paths that the call mentions and may touch (paths in a command line); they only help to find
	// repositories and are never evidence of ownership.
	Hints []string `json:"hints,omitempty"`
	// Names are absolute paths of files that the text of a command names, whether it writes them or not. A command line is
	// not kept, nor are they.
	Names []string `json:"-"`
	// Background tells that the call goes on after its after-boundary; TaskID is the agent's name of the running task.
	Background bool   `json:"background,omitempty"`
	TaskID     string `json:"task_id,omitempty"`
	// Lasted is how long the call took by itself, in milliseconds, without the time that it waited for a person's consent;
	// 0 when the agent does not say.
	Lasted int64 `json:"lasted,omitempty"`
	// Rejected tells, after the fact, that the call never ran (denied by the user, blocked by another hook).
	Rejected bool `json:"rejected,omitempty"`
}

// DeclaredEdit is what a tool call says of one path. Before and After are whole contents when the agent reports them;
// Old and New are the replaced and the replacing text.
type DeclaredEdit struct {
	Path   string  `json:"path"`
	Old    string  `json:"old,omitempty"`
	New    string  `json:"new,omitempty"`
	Before *string `json:"before,omitempty"` // the whole file as the tool found it; "" for a file it created
	After  *string `json:"after,omitempty"`  // the whole file as the tool left it
	// Exact tells that the tool put New in the place of Old and changed nothing else of the file.
	Exact bool `json:"exact,omitempty"`
	// Proposed is what the agent asked for, where a person changed that before they let the tool write.
	Proposed *string `json:"proposed,omitempty"`
}

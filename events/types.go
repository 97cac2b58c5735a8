package events

import "slices"

// Type is the kind of an event. The list is closed; readers keep and skip a type that this version does not know.
type Type string

// The event types.
const (
	LogStarted        Type = "log_started"
	SessionStarted    Type = "session_started"
	PromptSubmitted   Type = "prompt_submitted"
	WindowOpened      Type = "window_opened"
	WindowClosed      Type = "window_closed"
	WindowAbandoned   Type = "window_abandoned"
	SnapshotTaken     Type = "snapshot_taken"
	PatchRecorded     Type = "patch_recorded"
	TurnEnded         Type = "turn_ended"
	SessionEnded      Type = "session_ended"
	CaptureIncomplete Type = "capture_incomplete"
	CommitAnchored    Type = "commit_anchored"
	CommitRewritten   Type = "commit_rewritten"
	RecordStored      Type = "record_stored"
	CheckpointSigned  Type = "checkpoint_signed"
	LogPurged         Type = "log_purged"
	OutcomeNoted      Type = "outcome_noted"
)

// Method says how a fact was captured; an event names every method that contributed.
type Method string

// The capture methods.
const (
	HookSessionStart Method = "hook_session_start"
	HookPrompt       Method = "hook_prompt"
	HookToolBefore   Method = "hook_tool_before"
	HookToolAfter    Method = "hook_tool_after"
	HookStop         Method = "hook_stop"
	PostCommit       Method = "post_commit"
	PostRewrite      Method = "post_rewrite"
	Watcher          Method = "watcher"
	Backfill         Method = "backfill"
	Manual           Method = "manual"
	Import           Method = "import"
	// SessionFile: the agent's own record of a conversation has it, and no hook reported it.
	SessionFile Method = "session_file"
	// EditorLate: an editor reported it after somebody had looked at the file.
	EditorLate Method = "editor_late"
)

// Limit names something the capture could not see. The vocabulary is closed and documented in docs/format.md.
type Limit string

// The capture limitations.
const (
	// LimitConcurrentWriters: several windows could have written the lines, and no evidence decides.
	LimitConcurrentWriters Limit = "concurrent_writer_overlap"
	// LimitBackgroundProcess: the lines changed while a call of the agent ran in the background.
	LimitBackgroundProcess Limit = "background_process_overlap"
	// LimitMissingBefore: an after-boundary came without its before-boundary.
	LimitMissingBefore Limit = "missing_before_boundary"
	// LimitMissingAfter: a window was closed by a later boundary because its own after-boundary never came.
	LimitMissingAfter Limit = "missing_after_boundary"
	// LimitPathNotCaptured: a path could not be snapshotted (filter missing, unreadable, too large).
	LimitPathNotCaptured Limit = "path_not_captured"
	// LimitBoundaryLate: a boundary was handled after its moment, without a snapshot of that moment.
	LimitBoundaryLate Limit = "boundary_late"
	// LimitPayloadMismatch: the tool's report differs from the file.
	LimitPayloadMismatch Limit = "payload_state_mismatch"
	// LimitFieldCut: a field was longer than the format allows and was cut.
	LimitFieldCut Limit = "field_cut"
	// LimitBinary: a binary file changed; it has no lines.
	LimitBinary Limit = "binary_content"
	// LimitDiffCapped: the line diff is not minimal, because the contents differ too much.
	LimitDiffCapped Limit = "diff_capped"
	// LimitModelUnknown: the agent did not name its model.
	LimitModelUnknown Limit = "model_unknown"
	// LimitIDMissing: the agent gave no tool call id; order and content paired the two boundaries.
	LimitIDMissing Limit = "tool_call_id_missing"
	// LimitSubagentUnknown: one of several sub-agents made the call, and the agent did not name it.
	LimitSubagentUnknown Limit = "subagent_unknown"
	// LimitProcessGone: a call had no end, or left a process running, and all processes that could have written for it
	// have ended.
	LimitProcessGone Limit = "process_gone"
	// LimitProcessSilent: the running processes of an open call wrote fewer bytes than the change has.
	LimitProcessSilent Limit = "process_silent"
	// LimitProcessUnknown: a call was open, and the system does not show its processes.
	LimitProcessUnknown Limit = "process_unknown"
	// LimitPathNotNamed: the lines changed during a call that may write anywhere, and the call did not name their file.
	LimitPathNotNamed Limit = "path_not_named"
	// LimitHookMissed: hooks could not record, for example because the git directory cannot be written.
	LimitHookMissed Limit = "hook_not_recorded"
	// LimitConsentUnknown: the call waited for a person's consent, and its beginning is unknown.
	LimitConsentUnknown Limit = "consent_time_unknown"
	// LimitNotReported: no hook reported the call; the agent's own record of the conversation has it. Lines without an
	// owner changed while such a call could write.
	LimitNotReported Limit = "call_not_reported"
	// LimitCompletionUntold: the work tree was open in an editor that does not report all accepted completions; or an
	// editor saw text arrive that may be a completion or typed.
	LimitCompletionUntold Limit = "completion_not_reported"
)

// Types lists the types, in the order of the list above.
func Types() []Type {
	return []Type{
		LogStarted, SessionStarted, PromptSubmitted, WindowOpened, WindowClosed, WindowAbandoned, SnapshotTaken,
		PatchRecorded,
		TurnEnded, SessionEnded, CaptureIncomplete, CommitAnchored, CommitRewritten, RecordStored, CheckpointSigned,
		LogPurged, OutcomeNoted,
	}
}

// Known reports whether this version knows the type. Readers keep unknown types; writers refuse them.
func (t Type) Known() bool { return slices.Contains(Types(), t) }

// Known reports whether the method is in the closed list.
func (m Method) Known() bool {
	switch m {
	case HookSessionStart, HookPrompt, HookToolBefore, HookToolAfter, HookStop, PostCommit, PostRewrite, Watcher, Backfill,
		Manual, Import, SessionFile, EditorLate:
		return true
	}
	return false
}

// Known reports whether the limitation is in the closed list.
func (l Limit) Known() bool {
	switch l {
	case LimitConcurrentWriters, LimitBackgroundProcess, LimitMissingBefore, LimitMissingAfter, LimitPathNotCaptured,
		LimitBoundaryLate, LimitPayloadMismatch, LimitFieldCut, LimitBinary, LimitDiffCapped, LimitModelUnknown,
		LimitIDMissing, LimitSubagentUnknown,
		LimitProcessGone, LimitProcessSilent, LimitProcessUnknown, LimitPathNotNamed, LimitConsentUnknown,
		LimitHookMissed, LimitNotReported, LimitCompletionUntold:
		return true
	}
	return false
}

package events

import (
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The data of each event type, under the key "data". Scalars are strings and integers only, so that the canonical form
// is the same in every language. Paths are stored in the form of EncodePath.

// LogStartedData opens a writer's log.
type LogStartedData struct {
	Format       int      `json:"format"`        // version of the stored formats: 1
	Tool         string   `json:"tool"`          // "git-trace VERSION"
	ObjectFormat string   `json:"object_format"` // sha1 or sha256
	Head         refs.OID `json:"head,omitzero"` // the commit checked out, if any
}

// SessionData is the data of session_started and session_ended.
type SessionData struct {
	Source string   `json:"source,omitempty"` // startup, resume, fork, clear, compact; for an end, the reason
	Model  string   `json:"model,omitempty"`
	Type   string   `json:"type,omitempty"` // type of a sub-agent, as the agent names it
	Head   refs.OID `json:"head,omitzero"`
	Tree   refs.OID `json:"tree,omitzero"` // the origin snapshot, or the last one
}

// PromptData is the data of prompt_submitted. The text is not in the event: records have it.
type PromptData struct {
	Index  int    `json:"index"`            // 1-based in its trace
	Native string `json:"native,omitempty"` // the agent's own id of the prompt
	Chars  int    `json:"chars"`            // length of the text in Unicode code points
	// Kind is "user", or "task" for a prompt that the agent's own background task sent.
	Kind string `json:"kind"`
}

// WindowData is the data of window_opened, window_closed and window_abandoned.
type WindowData struct {
	Tool     string   `json:"tool"`
	Class    string   `json:"class"` // edit, run or unknown
	Prompt   int      `json:"prompt,omitempty"`
	Model    string   `json:"model,omitempty"`
	Paths    []string `json:"paths,omitempty"` // declared, relative to the work tree
	Interval int64    `json:"interval"`        // position of the boundary in the timeline
	Tree     refs.OID `json:"tree,omitzero"`
	Head     refs.OID `json:"head,omitzero"`
	Status   string   `json:"status,omitempty"` // status of a closed window: done, failed, background, abandoned, rejected
	Patches  int      `json:"patches,omitempty"`
	// Ended is the end of the call in the agent's own record, if it is there.
	Ended time.Time `json:"ended,omitzero"`
}

// StatusRejected is the status of a call that never ran.
const StatusRejected = "rejected"

// TakesBack reports whether the end of a window cancels lines that were recorded as its call's at a given moment.
func (d *WindowData) TakesBack(at time.Time) bool {
	return d.Status == StatusRejected || !d.Ended.IsZero() && at.After(d.Ended)
}

// SnapshotData is the data of snapshot_taken.
type SnapshotData struct {
	Role     string   `json:"role"`  // origin, prompt, turn_end, session_end, commit, checkout, merge, rewrite, manual
	Scope    string   `json:"scope"` // full or paths
	Interval int64    `json:"interval"`
	Tree     refs.OID `json:"tree"`
	Head     refs.OID `json:"head,omitzero"`
	Changed  int      `json:"changed"` // paths that differ from the previous snapshot
	// Skipped holds paths that could not be captured.
	Skipped []string `json:"skipped,omitempty"`
}

// OwnerKind is the kind of the owner of a line.
type OwnerKind string

// The kinds of owner. Unknown means without evidence: content from before the recording, or from a gap in it.
const (
	OwnerUnknown OwnerKind = "unknown"
	OwnerHuman   OwnerKind = "human"
	OwnerAI      OwnerKind = "ai"
	OwnerMixed   OwnerKind = "mixed"
)

// OwnerOlder is the kind of a line without evidence whose commit is older than the recording. Only readers use it, to
// distinguish it from OwnerUnknown. It is in no event.
const OwnerOlder OwnerKind = "older"

// Known reports whether an agent or a person is known to have written a line of this kind.
func (k OwnerKind) Known() bool { return k == OwnerHuman || k == OwnerAI || k == OwnerMixed }

// Stored returns the kind for events and for the member "contributor" of documents.
func (k OwnerKind) Stored() OwnerKind {
	if k.Known() {
		return k
	}
	return OwnerUnknown
}

// Watch is the evidence that a person wrote lines. It is empty if git-trace did not watch: then the evidence is a claim
// by another program or a person.
type Watch string

// The evidence that a person wrote lines.
const (
	// Watched is the evidence of lines between two snapshots, if every expected hook ran and could record, and nothing
	// else explains the lines.
	Watched Watch = "watched"
	// SeenTyping is the evidence of lines that an editor saw a person type and save.
	SeenTyping Watch = "seen_typing"
)

// PatchData is the data of patch_recorded: one hunk of one file in one interval. Line numbers count from 1. A hunk
// without old (new) lines has the count 0 and the number of the preceding line, like a unified diff without context.
type PatchData struct {
	Patch    PatchID   `json:"patch"`
	Interval int64     `json:"interval"`
	Path     string    `json:"path"`
	OldPath  string    `json:"old_path,omitempty"` // path of the content before a rename
	Before   refs.OID  `json:"before,omitzero"`    // blob; absent for a new file
	After    refs.OID  `json:"after,omitzero"`     // blob; absent for a deleted file
	OldStart int       `json:"old_start"`
	OldCount int       `json:"old_count"`
	NewStart int       `json:"new_start"`
	NewCount int       `json:"new_count"`
	Owner    OwnerKind `json:"owner"`
	Evidence Watch     `json:"evidence,omitempty"` // evidence for a person's change
	Tool     string    `json:"tool,omitempty"`
	Prompt   int       `json:"prompt,omitempty"`
	Model    string    `json:"model,omitempty"`
	Mode     string    `json:"mode,omitempty"` // octal, when the mode changed or the file is new
	// Kept holds the runs of new lines that keep an older owner: white-space-only change, moved blocks, text that git
	// restored.
	Kept []KeptRun `json:"kept,omitempty"`
	// Previous names the patches whose lines this hunk replaced.
	Previous []PatchID `json:"previous,omitempty"`
	// Revises is the former patch of the lines; empty if they had no owner. Only a later report revises a patch, see
	// Retold.
	Revises PatchID `json:"revises,omitempty"`
	// Lines holds the fingerprints of the new lines: FingerprintChars base64url characters a line.
	Lines string `json:"lines,omitempty"`
	// Candidates holds the tool calls that could have written the hunk if no evidence decides between them.
	Candidates []CandidateData `json:"candidates,omitempty"`
}

// KeptRun says that Count lines from line Start of the new content keep an older owner.
type KeptRun struct {
	Start int       `json:"start"`
	Count int       `json:"count"`
	Kind  OwnerKind `json:"kind"`
	Patch PatchID   `json:"patch,omitempty"`
	Why   string    `json:"why"`            // space, moved, restored, reformatted
	Form  string    `json:"form,omitempty"` // other: the lines have the same words as their owner wrote, but other signs
}

// CandidateData is one tool call that may own a line.
type CandidateData struct {
	Trace    TraceID `json:"trace"`
	Agent    string  `json:"agent"`
	Session  string  `json:"session"`
	Subagent string  `json:"subagent,omitempty"`
	ToolCall string  `json:"tool_call"`
}

// TurnData is the data of turn_ended.
type TurnData struct {
	Prompt   int      `json:"prompt,omitempty"`
	Interval int64    `json:"interval"`
	Tree     refs.OID `json:"tree,omitzero"`
	Head     refs.OID `json:"head,omitzero"`
	Running  []string `json:"running,omitempty"` // background tasks that still run
}

// IncompleteData is the data of capture_incomplete.
type IncompleteData struct {
	Boundary string `json:"boundary"` // kind of the boundary that was not captured in full
	// one of the closed list: time_limit, snapshot_failed, append_failed, payload_malformed, not_reported, not_recorded,
	// calls_not_reported, events_lost
	Reason string   `json:"reason"`
	Paths  []string `json:"paths,omitempty"` // the paths that were left out, if only some were
	// Calls holds the tool calls that no hook reported, and Since is the beginning of the first.
	Calls []string  `json:"calls,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// For lost events, with the boundary "log": the numbers of the first and the last lost event, and the id of the last.
	First int64 `json:"first,omitempty"`
	Last  int64 `json:"last,omitempty"`
	Event ID    `json:"event,omitempty"`
}

// CommitData is the data of commit_anchored. A commit with many files has several events in one batch, numbered by
// Part.
type CommitData struct {
	Commit  refs.OID   `json:"commit"`
	Parents []refs.OID `json:"parents,omitempty"`
	Part    int        `json:"part,omitempty"`  // 0-based
	Parts   int        `json:"parts,omitempty"` // 0 and 1 both mean one
	// Revision is the number of the new anchor. The batch replaces anchors with a lower number.
	Revision int           `json:"revision,omitempty"`
	Owners   []AnchorOwner `json:"owners,omitempty"`
	Files    []AnchorFile  `json:"files,omitempty"`
	Added    int           `json:"added"` // lines that the commit added, in all parts together
	AI       int           `json:"ai"`
	Human    int           `json:"human"`
	Unknown  int           `json:"unknown"`
}

// AnchorOwner is an owner of lines, with all facts that a reader needs.
type AnchorOwner struct {
	Kind       OwnerKind       `json:"kind"`
	Patch      PatchID         `json:"patch,omitempty"`
	Trace      TraceID         `json:"trace,omitempty"`
	Agent      string          `json:"agent,omitempty"`
	Session    string          `json:"session,omitempty"`
	Subagent   string          `json:"subagent,omitempty"`
	Model      string          `json:"model,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	ToolCall   string          `json:"tool_call,omitempty"`
	Prompt     int             `json:"prompt,omitempty"`
	Step       int             `json:"step,omitempty"`
	Previous   PatchID         `json:"previous,omitempty"` // patch of AI lines that a person changed
	Evidence   Watch           `json:"evidence,omitempty"` // evidence for a person's lines
	Candidates []CandidateData `json:"candidates,omitempty"`
	Limits     []Limit         `json:"limits,omitempty"`
}

// AnchorFile holds the owners of the lines that a commit added to one file.
type AnchorFile struct {
	Path string   `json:"path"`
	Blob refs.OID `json:"blob"`
	// Change identifies the commit's change of the file; absent for a merge and if no line changed.
	Change ChangeID    `json:"change,omitempty"`
	Runs   []AnchorRun `json:"runs,omitempty"`
}

// AnchorRun says that Count added lines from line Start of the committed blob belong to Owners[Owner].
type AnchorRun struct {
	Start int    `json:"start"`
	Count int    `json:"count"`
	Owner int    `json:"owner"`
	Tier  string `json:"tier"` // evidence tier
}

// RewriteData is the data of commit_rewritten.
type RewriteData struct {
	Kind  string        `json:"kind"` // amend, rebase, or another tool's word
	Pairs []RewritePair `json:"pairs"`
}

// RewritePair maps a commit to its replacement.
type RewritePair struct {
	Old refs.OID `json:"old"`
	New refs.OID `json:"new"`
}

// CheckpointData is the data of checkpoint_signed: the signed end of the log, and the place of the signature.
type CheckpointData struct {
	Seq    int64    `json:"seq"`   // the event that was signed, the last one at that time
	Event  ID       `json:"event"` // id of the event
	Commit refs.OID `json:"commit"`
	Kind   string   `json:"kind"`          // openpgp, ssh or x509
	Key    string   `json:"key,omitempty"` // fingerprint, if git knows it
}

// RecordData is the data of record_stored: a redacted record of the conversation was put on refs/traces/records.
type RecordData struct {
	Commit     refs.OID `json:"commit"`     // commit of refs/traces/records
	Blob       refs.OID `json:"blob"`       // the record
	Generation int      `json:"generation"` // counts up with every version of the record, from 0
	Steps      int      `json:"steps"`      // prompts and answers in it
	Redactions int      `json:"redactions"` // number of removed texts in all versions
	// provisional, or final if known commits hold lines of the conversation
	Lifecycle string `json:"lifecycle"`
}

// PurgeData is the data of log_purged: data was removed from records, prompts, caches and snapshots. The data itself is
// not named.
type PurgeData struct {
	What    string    `json:"what"`             // trace, text or path
	Traces  []TraceID `json:"traces,omitempty"` // the conversations with removed or changed records
	Removed int       `json:"removed"`          // removed records
	Changed int       `json:"changed"`          // changed records
	Objects int       `json:"objects"`          // git objects that were deleted
	Files   int       `json:"files"`            // files of git-trace's own that were deleted or changed
}

// NoteData is the data of outcome_noted: a person's note about the end of a conversation. Only the newest note counts.
type NoteData struct {
	Outcome string `json:"outcome"`          // success, failure, or unknown, which withdraws an earlier note
	Reward  string `json:"reward,omitempty"` // a finite decimal number
}

// DataOf reads the data of an event; the zero value if the data has another form.
func DataOf[T any](e Event) T {
	var data T
	if ReadData(e.Data, &data) != nil {
		var none T
		return none
	}
	return data
}

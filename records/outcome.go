package records

import "encoding/json"

// Outcome describes how the conversation ended.
type Outcome struct {
	Success          *bool          `json:"success"`
	SignalSource     string         `json:"signal_source"`
	SignalConfidence Signal         `json:"signal_confidence"`
	Description      *string        `json:"description"`
	Patch            *string        `json:"patch"` // a unified diff
	Committed        bool           `json:"committed"`
	CommitSHA        *string        `json:"commit_sha"`
	TerminalState    *TerminalState `json:"terminal_state"`
	Reward           *Float         `json:"reward"`
	RewardSource     *string        `json:"reward_source"`
}

// Signal says how reliable an outcome is.
type Signal string

// The signals.
const (
	SignalDerived   Signal = "derived"   // read from a fact, such as a commit
	SignalInferred  Signal = "inferred"  // inferred from the conversation
	SignalAnnotated Signal = "annotated" // stated by a person
)

// SourceDeterministic is the usual source of an outcome: the session file itself.
const SourceDeterministic = "deterministic"

// TerminalState is the state in which a conversation ended.
type TerminalState string

// The terminal states.
const (
	GoalReached TerminalState = "goal_reached"
	Interrupted TerminalState = "interrupted"
	Failed      TerminalState = "error"
	Abandoned   TerminalState = "abandoned"
)

// GitLink links the record to a commit.
type GitLink struct {
	VCSType         VCSType `json:"vcs_type"`
	Revision        string  `json:"revision"`
	RepoURL         *string `json:"repo_url"`
	Branch          *string `json:"branch"`
	Tier            Tier    `json:"tier"`
	CommitReachable *bool   `json:"commit_reachable"`
	ContentAlive    *bool   `json:"content_alive"`
}

// Tier is the kind of evidence for a link, the best first.
type Tier string

// The tiers.
const (
	TierToolEmitted    Tier = "tool_emitted"                 // the commit contains lines from a tool call
	TierToolDivergence Tier = "tool_emitted_with_divergence" // the files agree, but the lines were changed in between
	TierOverlapping    Tier = "overlapping"                  // files and times overlap
	TierOrphan         Tier = "orphan"                       // the only evidence: a call reports the commit
)

// Holds reports whether a commit that is linked with this tier contains lines of the conversation.
func (t Tier) Holds() bool { return t != TierOverlapping && t != TierOrphan }

// Attribution lists the lines that the conversation wrote.
type Attribution struct {
	Experimental bool              `json:"experimental"` // true if the confidence of any range is low
	Revision     map[string]string `json:"revision"`     // vcs_type, revision
	Files        []AttributedFile  `json:"files"`
	// files that the commit changed without a tool call; null if this was not checked
	UnaccountedFiles []string `json:"unaccounted_files"`
}

// AttributedFile is one file of an attribution.
type AttributedFile struct {
	Path          string                   `json:"path"`
	Conversations []AttributedConversation `json:"conversations"`
}

// AttributedConversation lists the lines of a file that one step wrote.
type AttributedConversation struct {
	Contributor map[string]string          `json:"contributor"` // type, model_id
	URL         *string                    `json:"url"`         // opentraces://<trace>/step_<N>
	IDs         map[string]json.RawMessage `json:"ids"`
	Related     []map[string]string        `json:"related"`
	Ranges      []AttributedRange          `json:"ranges"`
}

// AttributedRange is a range of lines of a file, from 1, with both ends included.
type AttributedRange struct {
	StartLine   int                        `json:"start_line"`
	EndLine     int                        `json:"end_line"`
	ContentHash *string                    `json:"content_hash"` // see LineHash
	Confidence  *Confidence                `json:"confidence"`
	ChangeType  ChangeType                 `json:"change_type"`
	Original    map[string]json.RawMessage `json:"original"`
	Contributor map[string]string          `json:"contributor"`
}

// Confidence is the confidence of a range.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// ChangeType is the kind of change that produced a range.
type ChangeType string

// The change types.
const (
	Addition     ChangeType = "addition"
	Modification ChangeType = "modification"
	Deletion     ChangeType = "deletion"
)

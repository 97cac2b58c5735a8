package treetrace

// Document is the content of tree.json. Failures and Hallucinations are written to separate files.
type Document struct {
	SchemaVersion    string          `json:"schemaVersion"`
	Generator        Generator       `json:"generator"`
	Project          Project         `json:"project"`
	Stats            Stats           `json:"stats"`
	Analysis         Analysis        `json:"analysis"`
	Sessions         []Session       `json:"sessions"`
	Nodes            []Node          `json:"nodes"`
	Edges            []Edge          `json:"edges"`
	CorrectionChains []Chain         `json:"correctionChains"`
	Lessons          []Lesson        `json:"lessons"`
	EvalCandidates   []EvalCandidate `json:"evalCandidates"`

	Failures       []Failure      `json:"-"`
	Hallucinations Hallucinations `json:"-"`
	Brief          Brief          `json:"-"`

	// Names holds the names of prompts in commands, by node; empty if there are none.
	Names map[string]string `json:"-"`
}

// Generator is the program that wrote a document.
type Generator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"url"`
}

// Project is the subject of a document.
type Project struct {
	Name        string  `json:"name"`
	GeneratedAt *string `json:"generatedAt"` // the time of the newest prompt or answer
	SourceType  string  `json:"sourceType"`
}

// Stats holds totals over the document.
type Stats struct {
	Prompts           int            `json:"prompts"`
	RawPrompts        int            `json:"rawPrompts"` // number of prompts before repeated ones are merged
	Sessions          int            `json:"sessions"`
	Days              int            `json:"days"`
	Corrections       int            `json:"corrections"`
	ScopeChanges      int            `json:"scopeChanges"`
	Checkpoints       int            `json:"checkpoints"`
	AbandonedBranches int            `json:"abandonedBranches"`
	Rejections        int            `json:"rejections"`
	RejectionsByKind  map[string]int `json:"rejectionsByKind"`
	ToolUses          int            `json:"toolUses"`
	FilesTouched      int            `json:"filesTouched"`
	InputTokens       int64          `json:"inputTokens"`     // all input tokens of the models, cached ones included
	CacheReadTokens   int64          `json:"cacheReadTokens"` // the cached part of InputTokens
	OutputTokens      int64          `json:"outputTokens"`
	Models            []string       `json:"models"`
	FirstTS           *string        `json:"firstTs"`
	LastTS            *string        `json:"lastTs"`
}

// Analysis has the numbers of conclusions from the nodes.
type Analysis struct {
	FailureSignals   int `json:"failureSignals"`
	CorrectionChains int `json:"correctionChains"`
	EvalCandidates   int `json:"evalCandidates"`
	Lessons          int `json:"lessons"`
}

// Session is a conversation with at least one prompt.
type Session struct {
	ID              string  `json:"id"`
	Title           *string `json:"title"`
	FirstTS         *string `json:"firstTs"`
	LastTS          *string `json:"lastTs"`
	PromptCount     int     `json:"promptCount"` // number of prompts before repeated ones are merged
	IsContinuation  bool    `json:"isContinuation"`
	InputTokens     int64   `json:"inputTokens"`
	CacheReadTokens int64   `json:"cacheReadTokens"`
	OutputTokens    int64   `json:"outputTokens"`
	Agent           string  `json:"agent,omitempty"`
	Trace           string  `json:"trace,omitempty"` // the id of the conversation's record
}

// The kinds of nodes.
const (
	Root        = "root"
	Direction   = "direction"
	Correction  = "correction"
	ScopeChange = "scope-change"
	Checkpoint  = "checkpoint"
	Question    = "question"
	Rejected    = "rejection" // not a prompt: something was declined or failed before the first prompt
)

// ByEvidence, ByWords and ByPosition are the sources of a node's kind.
const (
	ByEvidence = "evidence"
	ByWords    = "words"
	ByPosition = "position"
)

// The statuses of nodes.
const (
	Accepted  = "accepted"
	Abandoned = "abandoned" // the person undid the node, by a rewind or a rollback
)

// Node is a prompt.
type Node struct {
	ID             string      `json:"id"`
	ParentID       *string     `json:"parentId"`
	Role           string      `json:"role"`
	Kind           string      `json:"kind"`
	KindBy         string      `json:"kindBy,omitempty"`
	Title          string      `json:"title"`
	Text           string      `json:"text"`
	Status         string      `json:"status"`
	Nudges         int         `json:"nudges"`
	Reruns         int         `json:"reruns"`
	Session        string      `json:"session"`
	Timestamp      *string     `json:"timestamp"`
	Model          *string     `json:"model"`
	Actions        []Action    `json:"actions"`
	FailureSignals []Signal    `json:"failureSignals"`
	EvalCandidate  bool        `json:"evalCandidate"`
	LessonIDs      []string    `json:"lessonIds"`
	Rejections     []Rejection `json:"rejections"`
	SourceEventIDs []string    `json:"sourceEventIds"`
	Git            *Git        `json:"git,omitempty"`
}

// Action is a tool call. Calls that never ran come last, with Ran false.
type Action struct {
	Tool    *string  `json:"tool"`
	File    *string  `json:"file"` // relative to the repository, if possible
	Command *string  `json:"command"`
	Model   *string  `json:"model"`
	Files   []string `json:"files,omitempty"` // all files that the call changed, if there are several
	Ran     *bool    `json:"ran,omitempty"`
}

// Signal is a failure in the form in which its node has it.
type Signal struct {
	Type       string  `json:"type"`
	Tier       string  `json:"tier"`
	Confidence float64 `json:"confidence"`
	Model      *string `json:"model"`
	Evidence   string  `json:"evidence"`
	ResolvedBy *string `json:"resolvedBy"`
}

// The kinds of rejections.
const (
	UserDeclinedTool = "user_declined_tool"
	UserInterrupt    = "user_interrupt"
	UserTextDecline  = "user_text_decline"
	ToolError        = "tool_execution_error"
	PermissionDenied = "permission_denied"
	ModelRefusal     = "model_refusal"
)

// The sources of rejections.
const (
	FromResult    = "tool_result"
	FromText      = "text"
	FromStop      = "stop_reason"
	FromHeuristic = "text_heuristic"
)

// Rejection is something that was declined, refused or failed.
type Rejection struct {
	Kind       string  `json:"kind"`
	Source     string  `json:"source"`
	Confidence float64 `json:"confidence"`
	ToolUseID  *string `json:"toolUseId"`
	Tool       *string `json:"tool"`
	TS         *string `json:"ts"`
	Evidence   *string `json:"evidence"`
}

// Edge connects a node with a following node.
type Edge struct {
	From         string `json:"from"`
	To           string `json:"to"`
	Relationship string `json:"relationship"`
}

// Relationship returns the relationship of an edge to a node of the given kind.
func Relationship(kind string) string {
	switch kind {
	case Correction:
		return "corrects"
	case ScopeChange:
		return "expands"
	case Checkpoint:
		return "checkpoints"
	case Question:
		return "asks"
	case Rejected:
		return "rejects"
	}
	return "refines"
}

// Chain connects a failure with the prompt that corrected it, and with the prompt after which it no longer occurred.
type Chain struct {
	ID               string  `json:"id"`
	FailureNodeID    string  `json:"failureNodeId"`
	CorrectionNodeID string  `json:"correctionNodeId"`
	ResolvedNodeID   *string `json:"resolvedNodeId"`
	FailureType      string  `json:"failureType"`
	Confidence       string  `json:"confidence"` // high, medium or low
	Summary          string  `json:"summary"`
	ResolvedBy       string  `json:"resolvedBy,omitempty"` // evidence or words
	Git              *Git    `json:"git,omitempty"`
}

// Lesson is advice for the next agent.
type Lesson struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	NodeIDs []string `json:"nodeIds"`
	Text    string   `json:"text"`
}

// EvalCandidate is a failure from which a test can be made.
type EvalCandidate struct {
	ID               string   `json:"id"`
	Source           string   `json:"source"`
	Type             string   `json:"type"`
	Task             string   `json:"task"`
	Context          string   `json:"context"`
	Input            string   `json:"input"`
	ExpectedBehavior []string `json:"expected_behavior"`
	FailureMode      string   `json:"failure_mode"`
	SourceNodeIDs    []string `json:"sourceNodeIds"`
	BaseCommit       string   `json:"base_commit,omitempty"` // the commit at which the task can be started
	GoodCommit       string   `json:"good_commit,omitempty"` // the commit in which the task was done
	Files            []string `json:"files,omitempty"`
}

// Git holds the log's data about the lines of a node.
type Git struct {
	Trace   string   `json:"trace"`
	Prompt  int      `json:"prompt,omitempty"` // the prompt's number in the log
	Patches []string `json:"patches"`
	Lines   Lines    `json:"lines"`
	Commits []string `json:"commits"`
}

// Lines counts what happened to lines.
type Lines struct {
	Added       int `json:"added"`
	Alive       int `json:"alive"`
	Changed     int `json:"changed"`
	Reverted    int `json:"reverted"`
	Lost        int `json:"lost"`
	Uncommitted int `json:"uncommitted"`
}

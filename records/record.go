package records

import "encoding/json"

// SchemaVersion is the version of the TraceRecord schema that this package writes.
const SchemaVersion = "0.3.0"

// Record is one conversation. A nil pointer is written as null and means unknown.
type Record struct {
	SchemaVersion    string            `json:"schema_version"`
	TraceID          string            `json:"trace_id"`
	SessionID        string            `json:"session_id"` // the agent's own id
	ContentHash      *string           `json:"content_hash"`
	TimestampStart   *string           `json:"timestamp_start"` // ISO 8601, as the agent wrote it
	TimestampEnd     *string           `json:"timestamp_end"`
	ExecutionContext *ExecutionContext `json:"execution_context"`
	Task             Task              `json:"task"`
	Agent            Agent             `json:"agent"`
	Environment      Environment       `json:"environment"`
	SystemPrompts    map[string]string `json:"system_prompts"` // system prompts by hash
	ToolDefinitions  []json.RawMessage `json:"tool_definitions"`
	Steps            []Step            `json:"steps"`
	Outcome          Outcome           `json:"outcome"`
	Dependencies     []string          `json:"dependencies"`
	Metrics          Metrics           `json:"metrics"`
	Security         Security          `json:"security"`
	Attribution      *Attribution      `json:"attribution"`
	Lifecycle        Lifecycle         `json:"lifecycle"`
	GitLinks         []GitLink         `json:"git_links"`
	// increases with every version of the record of a session
	GenerationIndex int                        `json:"generation_index"`
	Metadata        map[string]json.RawMessage `json:"metadata"`
}

// ExecutionContext says whether an agent edits code (devtime) or works in an environment (runtime).
type ExecutionContext string

// The contexts.
const (
	Devtime ExecutionContext = "devtime"
	Runtime ExecutionContext = "runtime"
)

// Blocked reports whether a large part of the session file could not be read. A person must then check the record
// before it is shared.
func (r *Record) Blocked() bool { return string(r.Metadata["blocked"]) == "true" }

// Lifecycle says whether the record is linked to commits.
type Lifecycle string

// The lifecycles.
const (
	Provisional Lifecycle = "provisional" // not yet linked to a commit
	Final       Lifecycle = "final"       // linked to the commits in git_links
)

// Task is the task of the conversation.
type Task struct {
	Description   *string `json:"description"`
	Source        *string `json:"source"`         // user_prompt, skill, command
	Repository    *string `json:"repository"`     // owner/name
	RepositoryURL *string `json:"repository_url"` // URL of the remote, without credentials
	BaseCommit    *string `json:"base_commit"`
}

// Agent is the program that communicates with the model.
type Agent struct {
	Name    string  `json:"name"` // claude-code, codex-cli, …
	Version *string `json:"version"`
	Model   *string `json:"model"` // provider/model
}

// Environment is the environment of the agent.
type Environment struct {
	OS                *string  `json:"os"` // darwin, linux, windows
	Shell             *string  `json:"shell"`
	VCS               VCS      `json:"vcs"`
	LanguageEcosystem []string `json:"language_ecosystem"` // most used first
}

// VCS is the state of version control at the start of the conversation.
type VCS struct {
	Type       VCSType `json:"type"`
	BaseCommit *string `json:"base_commit"`
	Branch     *string `json:"branch"`
	Diff       *string `json:"diff"`
}

// VCSType names a version control system.
type VCSType string

// The version control systems of environments and links.
const (
	VCSNone VCSType = "none"
	VCSGit  VCSType = "git"
	VCSJJ   VCSType = "jj"
)

// Metrics holds totals over the steps.
type Metrics struct {
	TotalSteps               int    `json:"total_steps"`
	TotalInputTokens         int64  `json:"total_input_tokens"` // without tokens of cache reads and writes
	TotalOutputTokens        int64  `json:"total_output_tokens"`
	TotalDurationS           *Float `json:"total_duration_s"`
	CacheHitRate             *Float `json:"cache_hit_rate"` // the share of prompt tokens that came from the cache, 0 to 1
	EstimatedCostUSD         *Float `json:"estimated_cost_usd"`
	TotalCacheReadTokens     int64  `json:"total_cache_read_tokens"`
	TotalCacheCreationTokens int64  `json:"total_cache_creation_tokens"`
}

// Security says how the record was checked and redacted before it was stored. git-trace keeps a Tier that it reads but
// never sets one: the schema's documentation has Tier, but its source code has Scanned instead.
type Security struct {
	Tier              *int    `json:"tier,omitempty"`
	Scanned           bool    `json:"scanned"`
	FlagsReviewed     int     `json:"flags_reviewed"`
	RedactionsApplied int     `json:"redactions_applied"`
	ClassifierVersion *string `json:"classifier_version"`
}

// Result returns the result of a call of the step; nil if there is none.
func (s *Step) Result(call string) *Observation {
	for i := range s.Observations {
		if s.Observations[i].SourceCallID == call {
			return &s.Observations[i]
		}
	}
	return nil
}

// ToolCall returns the call of the step with this id; nil if there is none.
func (s *Step) ToolCall(id string) *ToolCall {
	for i := range s.ToolCalls {
		if s.ToolCalls[i].ToolCallID == id {
			return &s.ToolCalls[i]
		}
	}
	return nil
}

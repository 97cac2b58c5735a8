package records

import "encoding/json"

// Step is a prompt of the user, or an answer of the model with its calls and their results.
type Step struct {
	StepIndex        int       `json:"step_index"` // number of the step, from 1
	Role             Role      `json:"role"`
	Content          *string   `json:"content"`
	ReasoningContent *string   `json:"reasoning_content"`
	Model            *string   `json:"model"`
	SystemPromptHash *string   `json:"system_prompt_hash"`
	AgentRole        *string   `json:"agent_role"` // main, or the kind of subagent
	ParentStep       *int      `json:"parent_step"`
	CallType         *CallType `json:"call_type"`
	// the agent's id of the subagent that a call of this step started
	SubagentTrajectoryRef *string       `json:"subagent_trajectory_ref"`
	ToolsAvailable        []string      `json:"tools_available"`
	ToolCalls             []ToolCall    `json:"tool_calls"`
	Observations          []Observation `json:"observations"`
	Snippets              []Snippet     `json:"snippets"`
	TokenUsage            TokenUsage    `json:"token_usage"`
	Timestamp             *string       `json:"timestamp"`
}

// Role is the author of a step.
type Role string

// The roles.
const (
	RoleSystem Role = "system"
	RoleUser   Role = "user"
	RoleAgent  Role = "agent"
)

// Asks reports whether a step is a prompt to the main conversation, and not to a subagent.
func (s *Step) Asks() bool {
	return s.Role == RoleUser && s.ParentStep == nil && (s.CallType == nil || *s.CallType == CallMain)
}

// CallType says to which part of the conversation a step belongs.
type CallType string

// The call types.
const (
	CallMain     CallType = "main"
	CallSubagent CallType = "subagent"
	CallWarmup   CallType = "warmup" // the client filled a cache, without a prompt
)

// ToolCall is one call of a tool. Input is a JSON object, with its members in the agent's order.
type ToolCall struct {
	ToolCallID string          `json:"tool_call_id"`
	ToolName   string          `json:"tool_name"`
	Input      json.RawMessage `json:"input"`
	DurationMS *int64          `json:"duration_ms"`
}

// Observation is the result of a call.
type Observation struct {
	SourceCallID  string  `json:"source_call_id"`
	Content       *string `json:"content"`
	OutputSummary *string `json:"output_summary"` // the beginning of the output, at most 200 characters
	Error         *string `json:"error"`          // one of the Error constants, or exit_code:N for a failed command
}

// The errors of observations.
const (
	ErrorTool        = "tool_error"  // the tool reported an error
	ErrorInterrupted = "interrupted" // the user stopped the call while it ran
	ErrorRejected    = "rejected"    // the call never ran
	ErrorNoResult    = "no_result"   // the session file has no result
)

// Snippet is a piece of code that a step wrote or read.
type Snippet struct {
	FilePath   string  `json:"file_path"`
	StartLine  *int    `json:"start_line"`
	EndLine    *int    `json:"end_line"`
	Language   *string `json:"language"`
	Text       *string `json:"text"`
	SourceStep *int    `json:"source_step"`
}

// TokenUsage is the number of tokens of one answer of the model. The kinds do not overlap.
type TokenUsage struct {
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CacheReadTokens   int64 `json:"cache_read_tokens"`
	CacheWriteTokens  int64 `json:"cache_write_tokens"`
	PrefixReuseTokens int64 `json:"prefix_reuse_tokens"`
}

// Add adds the counts of another usage.
func (u *TokenUsage) Add(other TokenUsage) {
	u.InputTokens += other.InputTokens
	u.OutputTokens += other.OutputTokens
	u.CacheReadTokens += other.CacheReadTokens
	u.CacheWriteTokens += other.CacheWriteTokens
	u.PrefixReuseTokens += other.PrefixReuseTokens
}

package dataset

import (
	"encoding/json"
	"time"

	"github.com/git-trace/git-trace/serve/dataset/shards"
)

// The tag "anon" decides what becomes of a column in an anonymous data set: keep leaves it unchanged, id, name and path
// replace it by a keyed hash, drop removes it. Every text is dropped, because a text may name a person.

// Conversation is a row of the table conversations: one for each known conversation, with or without a record. Without
// one, the columns that come from the record are null.
type Conversation struct {
	Repo             string   `json:"repo" kind:"word" anon:"name"`
	Month            *string  `json:"month" kind:"word" anon:"keep"`
	Agent            *string  `json:"agent" kind:"word" anon:"keep"`
	Trace            string   `json:"trace_id" anon:"id"`
	Session          *string  `json:"session_id" anon:"id"`
	AgentVersion     *string  `json:"agent_version" kind:"word" anon:"keep"`
	Model            *string  `json:"model" kind:"word" anon:"keep"`
	Models           []string `json:"models" anon:"keep"`
	Sources          []string `json:"sources" anon:"keep"`
	Recorded         bool     `json:"recorded"`
	Started          *stamp   `json:"started_at" kind:"time"`
	Ended            *stamp   `json:"ended_at" kind:"time"`
	Prompts          int64    `json:"prompts"`
	Calls            int64    `json:"calls"`
	Steps            *int64   `json:"steps"`
	LinesAdded       int64    `json:"lines_added"`
	LinesRemoved     int64    `json:"lines_removed"`
	Files            int64    `json:"files"`
	InputTokens      *int64   `json:"input_tokens"`
	OutputTokens     *int64   `json:"output_tokens"`
	CacheReadTokens  *int64   `json:"cache_read_tokens"`
	CacheWriteTokens *int64   `json:"cache_write_tokens"`
	CostUSD          *float64 `json:"cost_usd"`
	CostBy           *string  `json:"cost_by" kind:"word" anon:"keep"`
	PricesAsOf       *string  `json:"prices_as_of" kind:"word" anon:"keep"`
	DurationS        *float64 `json:"duration_s"`
	Context          *string  `json:"execution_context" kind:"word" anon:"keep"`
	Task             *string  `json:"task" anon:"drop"`
	Branch           *string  `json:"branch" kind:"word" anon:"name"`
	BaseCommit       *string  `json:"base_commit" anon:"id"`
	Success          *bool    `json:"success"`
	TerminalState    *string  `json:"terminal_state" kind:"word" anon:"keep"`
	OutcomeSource    *string  `json:"outcome_source" kind:"word" anon:"keep"`
	OutcomeSignal    *string  `json:"outcome_signal" kind:"word" anon:"keep"`
	OutcomeText      *string  `json:"outcome_text" anon:"drop"`
	Reward           *float64 `json:"reward"`
	Redactions       *int64   `json:"redactions"`
	ContentHash      *string  `json:"content_hash" anon:"id"`
}

// Prompt is a row of the table prompts: one for each known prompt. It has the text if the text is kept.
type Prompt struct {
	Repo   string  `json:"repo" kind:"word" anon:"name"`
	Month  *string `json:"month" kind:"word" anon:"keep"`
	Agent  *string `json:"agent" kind:"word" anon:"keep"`
	Trace  string  `json:"trace_id" anon:"id"`
	Prompt int64   `json:"prompt"`
	Text   *string `json:"text" anon:"drop"`
}

// Step is a row of the table steps: a prompt of a record, or an answer of a model.
type Step struct {
	Repo             string  `json:"repo" kind:"word" anon:"name"`
	Month            *string `json:"month" kind:"word" anon:"keep"`
	Agent            *string `json:"agent" kind:"word" anon:"keep"`
	Trace            string  `json:"trace_id" anon:"id"`
	Step             int64   `json:"step"`
	Prompt           *int64  `json:"prompt"`
	Role             string  `json:"role" kind:"word" anon:"keep"`
	CallType         *string `json:"call_type" kind:"word" anon:"keep"`
	AgentRole        *string `json:"agent_role" kind:"word" anon:"keep"`
	ParentStep       *int64  `json:"parent_step"`
	Model            *string `json:"model" kind:"word" anon:"keep"`
	At               *stamp  `json:"at" kind:"time"`
	Content          *string `json:"content" anon:"drop"`
	Reasoning        *string `json:"reasoning" anon:"drop"`
	Calls            int64   `json:"calls"`
	InputTokens      int64   `json:"input_tokens"`
	OutputTokens     int64   `json:"output_tokens"`
	CacheReadTokens  int64   `json:"cache_read_tokens"`
	CacheWriteTokens int64   `json:"cache_write_tokens"`
}

// Call is a row of the table calls: a call of a tool, with its outcome.
type Call struct {
	Repo       string          `json:"repo" kind:"word" anon:"name"`
	Month      *string         `json:"month" kind:"word" anon:"keep"`
	Agent      *string         `json:"agent" kind:"word" anon:"keep"`
	Trace      string          `json:"trace_id" anon:"id"`
	Step       int64           `json:"step"`
	Prompt     *int64          `json:"prompt"`
	Number     int64           `json:"number"`
	ToolCall   string          `json:"tool_call_id" anon:"id"`
	Tool       string          `json:"tool" kind:"word" anon:"keep"`
	Input      json.RawMessage `json:"input" kind:"json" anon:"drop"`
	Output     *string         `json:"output" anon:"drop"`
	Error      *string         `json:"error" kind:"word" anon:"keep"`
	DurationMS *int64          `json:"duration_ms"`
}

// Patch is a row of the table patches: one hunk of one file that hooks saw, by any owner.
type Patch struct {
	Repo       string  `json:"repo" kind:"word" anon:"name"`
	Month      *string `json:"month" kind:"word" anon:"keep"`
	Agent      *string `json:"agent" kind:"word" anon:"keep"`
	Patch      string  `json:"patch_id" anon:"id"`
	Trace      *string `json:"trace_id" anon:"id"`
	ToolCall   *string `json:"tool_call_id" anon:"id"`
	Prompt     *int64  `json:"prompt"`
	Model      *string `json:"model" kind:"word" anon:"keep"`
	Tool       *string `json:"tool" kind:"word" anon:"keep"`
	Owner      string  `json:"owner" kind:"word" anon:"keep"`
	At         *stamp  `json:"at" kind:"time"`
	Path       string  `json:"path" anon:"path"`
	OldPath    *string `json:"old_path" anon:"path"`
	OldStart   int64   `json:"old_start"`
	OldCount   int64   `json:"old_count"`
	NewStart   int64   `json:"new_start"`
	NewCount   int64   `json:"new_count"`
	Kept       int64   `json:"kept"`
	Candidates int64   `json:"candidates"`
}

// Commit is a row of the table commits: a commit reachable from HEAD, with the lines that it added.
type Commit struct {
	Repo       string   `json:"repo" kind:"word" anon:"name"`
	Month      *string  `json:"month" kind:"word" anon:"keep"`
	Agent      *string  `json:"agent" kind:"word" anon:"keep"`
	Commit     string   `json:"commit" anon:"id"`
	Parents    []string `json:"parents" anon:"id"`
	Author     string   `json:"author" kind:"word" anon:"name"`
	AuthorMail string   `json:"author_mail" kind:"word" anon:"name"`
	Authored   *stamp   `json:"authored_at" kind:"time"`
	Anchored   bool     `json:"anchored"`
	Added      int64    `json:"added"`
	AI         int64    `json:"ai"`
	Human      int64    `json:"human"`
	Unknown    int64    `json:"unknown"`
	Reverts    []string `json:"reverts" anon:"id"`
}

// Line is a row of the table lines: neighbouring lines of one owner that a commit added. If the place of lines is
// unknown, start is null, and path may be null.
type Line struct {
	Repo       string  `json:"repo" kind:"word" anon:"name"`
	Month      *string `json:"month" kind:"word" anon:"keep"`
	Agent      *string `json:"agent" kind:"word" anon:"keep"`
	Commit     string  `json:"commit" anon:"id"`
	Path       *string `json:"path" anon:"path"`
	Start      *int64  `json:"start"`
	Lines      int64   `json:"lines"`
	Owner      string  `json:"owner" kind:"word" anon:"keep"`
	Mixed      bool    `json:"mixed"`
	Model      *string `json:"model" kind:"word" anon:"keep"`
	Trace      *string `json:"trace_id" anon:"id"`
	Prompt     *int64  `json:"prompt"`
	ToolCall   *string `json:"tool_call_id" anon:"id"`
	Patch      *string `json:"patch_id" anon:"id"`
	Tier       *string `json:"tier" kind:"word" anon:"keep"`
	Candidates int64   `json:"candidates"`
	Language   *string `json:"language" kind:"word" anon:"keep"`
	Author     string  `json:"author" kind:"word" anon:"name"`
	AuthorMail string  `json:"author_mail" kind:"word" anon:"name"`
	Authored   *stamp  `json:"authored_at" kind:"time"`
}

// Life is a row of the table lives: lines of one owner in one file of a commit. They reached the first-parent history
// together, and left it together, or are still there.
type Life struct {
	Repo     string  `json:"repo" kind:"word" anon:"name"`
	Month    *string `json:"month" kind:"word" anon:"keep"`
	Agent    *string `json:"agent" kind:"word" anon:"keep"`
	Commit   string  `json:"commit" anon:"id"`
	Path     string  `json:"path" anon:"path"`
	Lines    int64   `json:"lines"`
	Owner    string  `json:"owner" kind:"word" anon:"keep"`
	Model    *string `json:"model" kind:"word" anon:"keep"`
	Trace    *string `json:"trace_id" anon:"id"`
	Prompt   *int64  `json:"prompt"`
	Language *string `json:"language" kind:"word" anon:"keep"`
	Born     *stamp  `json:"born_at" kind:"time"`
	Gone     *stamp  `json:"gone_at" kind:"time"`
	GoneBy   *string `json:"gone_by" anon:"id"`
	End      *stamp  `json:"history_end" kind:"time"`
	LivedS   *int64  `json:"lived_s"`
	SeenS    int64   `json:"seen_s"`
}

func Tables() []shards.Table {
	return []shards.Table{
		shards.TableOf[Conversation]("conversations"), shards.TableOf[Prompt]("prompts"), shards.TableOf[Step]("steps"),
		shards.TableOf[Call]("calls"), shards.TableOf[Patch]("patches"), shards.TableOf[Commit]("commits"),
		shards.TableOf[Line]("lines"), shards.TableOf[Life]("lives"),
	}
}

// Partitions lists the columns that all tables have, by which files may be partitioned.
var Partitions = []string{"repo", "month", "agent"}

// stamp is a time in a table.
type stamp time.Time

// MarshalJSON writes the time in UTC, with microseconds.
func (s stamp) MarshalJSON() ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000000Z"`), nil
}

// stampOf returns a time for a table; nil for the zero time, and for a time that tables cannot hold.
func stampOf(t time.Time) *stamp {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return new(stamp(t))
}

// spoken parses a time as agents write it; nil if it cannot.
func spoken(text *string) *stamp {
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, *text)
	if err != nil {
		return nil
	}
	return stampOf(at)
}

// `maybe` returns nil for an empty text.
func maybe[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	return new(string(text))
}

func maybeOf[T ~string](text *T) *string {
	if text == nil {
		return nil
	}
	return maybe(*text)
}

// number returns a pointer to n; nil for 0.
func number[T ~int | ~int64](n T) *int64 {
	if n == 0 {
		return nil
	}
	return new(int64(n))
}

func numberOf[T ~int | ~int64](n *T) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

func real[T ~float64](n *T) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

package answers

import (
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/upkeep/doctor"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view"
)

// The names of the forms; docs/schema describes each form.
const (
	LogSchema     = "git-trace.log/1"
	SearchSchema  = "git-trace.search/1"
	StatusSchema  = "git-trace.status/1"
	VerifySchema  = "git-trace.verify/1"
	FetchedSchema = "git-trace.verify-fetched/1"
)

// Log is the answer of git trace log --json.
type Log struct {
	Schema        string    `json:"schema"`
	IDDigits      int       `json:"id_digits"`
	Conversations []LogItem `json:"conversations"`
}

// LogItem is a conversation. Its prompts are nil unless they were requested.
type LogItem struct {
	*view.Conversation
	Asked []view.Asked `json:"asked,omitempty"`
}

// Search is the answer of git trace search --json.
type Search struct {
	Schema   string            `json:"schema"`
	IDDigits int               `json:"id_digits"`
	Text     string            `json:"text"`
	Total    int               `json:"total"` // conversations that contain all words
	In       map[search.In]int `json:"in"`    // number of matches in each place
	Results  []Found           `json:"results"`
}

// Found is a conversation that was found.
type Found struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Title   string         `json:"title"`
	Start   *string        `json:"start"`
	End     *string        `json:"end"`
	Commits []string       `json:"commits"`
	Hits    []Hit          `json:"hits"`
}

// Hit is a step with searched words, or a matching call.
type Hit struct {
	Step   int    `json:"step"`                   // 0 for a prompt that no record contains
	Index  int    `json:"prompt_index,omitempty"` // number of that prompt; with filters, of the call's prompt
	Prompt bool   `json:"prompt"`
	Text   string `json:"text"`
	Call   string `json:"tool_call,omitempty"` // only with filters
	Tool   string `json:"tool,omitempty"`
}

// Status is the answer of git trace status --json.
type Status struct {
	Schema    string            `json:"schema"`
	WorkTree  string            `json:"work_tree"`
	Recording bool              `json:"recording"`
	Listed    *doctor.Listing   `json:"listed"`
	GitHooks  hooks.Status      `json:"git_hooks"`
	Agents    []doctor.Agent    `json:"agents"`
	Log       *doctor.LogEnd    `json:"log"`
	Spooled   int               `json:"spooled"`
	Open      []trails.OpenCall `json:"open"`
	Missed    *MissedHooks      `json:"not_recorded"`
	Pending   *PendingLines     `json:"pending"`
	Failure   *doctor.Failure   `json:"failure"` // the last failure, if it is recent
	Prompts   view.Typed        `json:"typed_prompts"`
	Purged    purge.Talks       `json:"purged"`
	Shared    []sharing.State   `json:"shared"`
	Collected *Collected        `json:"collected"` // nil if git trace watch --otlp never ran
	Attention []doctor.Finding  `json:"attention"`
}

// Collected counts the data that clients sent to git trace watch --otlp since its first run.
type Collected struct {
	Port    int            `json:"port"`
	Events  int            `json:"events"`
	Last    *time.Time     `json:"last"`
	Refused map[string]int `json:"refused"` // requests, and events of conversations without hooks, by reason
}

// MissedHooks counts the hooks of this work tree that could not record.
type MissedHooks struct {
	Calls int       `json:"calls"`
	Hooks int       `json:"hooks"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Why   []string  `json:"why"`
}

// PendingLines counts uncommitted lines of agents.
type PendingLines struct {
	view.PendingFigures
	Why []events.Limit `json:"why,omitempty"` // limitations that the log gives for the lines of unknown owners
}

// Verify is the answer of git trace verify --json.
type Verify struct {
	Schema string `json:"schema"`
	events.Report
	Faults []events.Fault `json:"faults"`
}

// Fetched is the answer of git trace verify --fetched --json.
type Fetched struct {
	Schema  string                 `json:"schema"`
	Fetched []sharing.FetchedState `json:"fetched"`
}

package blame

import (
	"time"

	"github.com/git-trace/git-trace/events"
)

// LinesJSON is the output of git trace blame --json. If a text is not UTF-8, its bytes follow in base64.
type LinesJSON struct {
	Schema     string     `json:"schema"`
	Path       string     `json:"path"`
	PathBase64 string     `json:"path_base64,omitempty"`
	Revision   *string    `json:"revision"`
	Lines      []LineJSON `json:"lines"`
}

// LineJSON is a line of a file.
type LineJSON struct {
	Line int `json:"line"` // number of the line, from 1
	PlaceJSON
	Author           *string `json:"author"`
	AuthorBase64     string  `json:"author_base64,omitempty"`
	AuthorMail       *string `json:"author_mail"`
	AuthorMailBase64 string  `json:"author_mail_base64,omitempty"`
	AuthorTime       *string `json:"author_time"`
	Content          string  `json:"content"`
	ContentBase64    string  `json:"content_base64,omitempty"`
	OwnerJSON
	Step     *int        `json:"step"`
	ToolCall *string     `json:"tool_call"`
	Prompt   *LinePrompt `json:"prompt"`
	Patch    *string     `json:"patch"`
	EvidenceJSON
	Previous string `json:"previous,omitempty"`
}

// PlaceJSON is the commit, path and line that git credits with a line.
type PlaceJSON struct {
	Commit             *string `json:"commit"`
	OriginalLine       int     `json:"original_line"`
	OriginalPath       string  `json:"original_path"`
	OriginalPathBase64 string  `json:"original_path_base64,omitempty"`
}

// LinePrompt is the prompt whose answer wrote a line.
type LinePrompt struct {
	Index int    `json:"index"`
	Text  string `json:"text,omitempty"`
}

// RunsJSON is the output of git trace blame --json=runs.
type RunsJSON struct {
	Schema        string                `json:"schema"`
	Path          string                `json:"path"`
	PathBase64    string                `json:"path_base64,omitempty"`
	Revision      *string               `json:"revision"`
	Conversations map[string]RunsTalk   `json:"conversations"`
	Commits       map[string]RunsCommit `json:"commits"`
	Runs          []RunJSON             `json:"runs"`
}

// RunsTalk is a conversation that wrote some of the lines.
type RunsTalk struct {
	Short   string            `json:"short"`
	Agent   *string           `json:"agent"`
	Session *string           `json:"session"`
	Prompts map[string]string `json:"prompts"` // prompts by number
}

// RunsCommit is a commit that git credits with some of the lines.
type RunsCommit struct {
	Author           string    `json:"author"`
	AuthorBase64     string    `json:"author_base64,omitempty"`
	AuthorMail       string    `json:"author_mail"`
	AuthorMailBase64 string    `json:"author_mail_base64,omitempty"`
	AuthorTime       time.Time `json:"author_time"`
	Summary          string    `json:"summary"`
	SummaryBase64    string    `json:"summary_base64,omitempty"`
}

// RunJSON is a run of consecutive lines of a file that have the same commit and owner.
type RunJSON struct {
	Start int `json:"start"` // first line, from 1
	Count int `json:"count"`
	PlaceJSON
	Contributor string  `json:"contributor"`
	Older       bool    `json:"older,omitempty"` // true for unknown lines that are older than the recording
	Trace       *string `json:"trace"`
	Model       *string `json:"model"`
	Subagent    string  `json:"subagent,omitempty"`
	Step        *int    `json:"step"`
	Tool        *string `json:"tool"`
	ToolCall    *string `json:"tool_call"`
	Prompt      *int    `json:"prompt"`
	Patch       *string `json:"patch"`
	EvidenceJSON
	Previous string `json:"previous,omitempty"`
}

// OwnerJSON is the owner of a line in the JSON output of commands. Null means that a value is unknown.
type OwnerJSON struct {
	Contributor events.OwnerKind `json:"contributor"`
	Older       bool             `json:"older,omitempty"` // true for unknown lines that are older than the recording
	Trace       *events.TraceID  `json:"trace"`
	Agent       *string          `json:"agent"`
	Model       *string          `json:"model"`
	Session     *string          `json:"session"`
	Subagent    string           `json:"subagent,omitempty"`
}

// EvidenceJSON is the evidence for an owner.
type EvidenceJSON struct {
	Evidence   *string                `json:"evidence"`
	Confidence *string                `json:"confidence"`
	Candidates []events.CandidateData `json:"candidates,omitempty"`
	Source     *SourceJSON            `json:"source,omitempty"`   // missing if this clone saw or found the owner
	Disputed   []string               `json:"disputed,omitempty"` // writers of other clones who name another owner
}

// SourceJSON names the other clone whose log names an owner.
type SourceJSON struct {
	Writer string  `json:"writer"`
	Signer *string `json:"signer"`
}

func (a *Attribution) source() *SourceJSON {
	if a.Writer == "" {
		return nil
	}
	return &SourceJSON{a.Writer, events.OrNull(a.Signer)}
}

func (a *Attribution) JSON() (OwnerJSON, EvidenceJSON) {
	return OwnerJSON{a.Kind.Stored(), a.Kind == events.OwnerOlder, events.OrNull(a.Trace), events.OrNull(a.Agent),
			events.OrNull(a.Model), events.OrNull(a.Session), a.Subagent},
		EvidenceJSON{events.OrNull(a.Evidence), events.OrNull(a.Confidence), a.Candidates, a.source(), a.Disputed}
}

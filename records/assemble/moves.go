package assemble

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records"
)

// Prompt is a request of the user.
type Prompt struct {
	At   records.Locator
	Time string // time from the session file; "" if it has none
	Text string
	// Source is the kind of the text: user_prompt, skill, command.
	Source string
	Warmup bool // the text is not a real prompt: the client fills its cache
	System bool // the text is the client's, for the model in the middle of the conversation, and not a prompt
}

// Answer is a piece of a model's answer.
type Answer struct {
	At         records.Locator
	Key        string // the same for all pieces of one answer; "" for an answer in one piece
	Time       string
	Model      string // provider/model
	Provider   string // the provider that ProviderID comes from
	ProviderID string
	Text       string
	Thinking   string
	Anew       bool // text and thinking replace the earlier pieces and do not follow them
	Calls      []Call
	Stop       string // the reason why the answer ended, in the agent's words; the last piece counts
	Usage      *Usage // tokens of the answer so far; the last piece counts
	Prompt     string // the hash of the system prompt
	Tools      []string
	Warmup     bool // without a prompt: the client filled its cache
}

// Usage is the number of tokens of an answer.
type Usage struct {
	records.TokenUsage
	CacheWrite1H int64 // the part of CacheWriteTokens that is cached for an hour
}

// Call is a tool call.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage
	// The paths that the call reads and writes, and its command line.
	Reads   []string
	Writes  []string
	Command string
}

// Result is the result of a call.
type Result struct {
	Time       string
	Content    *string
	Error      string // one of the Error constants of records, or exit_code:N
	DurationMS *int64
	Subagent   string // the agent's id of the subagent that the call started
	Edits      []Edit
	Seen       *File // a whole file whose content the result shows
	Commit     *Commit
}

// File is a whole file.
type File struct{ Path, Content string }

// Commit is a commit that a call made, according to its result.
type Commit struct {
	SHA    string `json:"sha"` // often abbreviated
	Kind   string `json:"kind,omitempty"`
	Branch string `json:"branch,omitempty"`
	Step   int    `json:"step"`
	Only   bool   `json:"only,omitempty"` // the agent says that the commit contains only lines of this step's calls
}

// Edit is the change that a call made to one file.
type Edit struct {
	Path  string
	Text  string // the new text of an edit, or the whole content of a new file
	Hunks []Hunk // the changed places in order; nil if unknown
}

// Hunk replaces lines of a file. At counts from 1 in the file before the edit.
type Hunk struct {
	At      int // the first removed line; if none are removed, the line before which the new lines are inserted
	Removed int
	Added   int
	Lines   []string // the added lines; nil if their exact text is unknown
}

// `Whatever` is the value of Removed in a hunk that writes a whole file, if it is unknown whether the file existed.
const Whatever = 1 << 30

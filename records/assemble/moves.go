package assemble

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records"
)

// Prompt is a request of the user.
type Prompt struct {
	At   records.Locator
	Time string // from the session file; "" if it has none
	Text string
	// Source is the kind of the text: user_prompt, skill, command.
	Source string
	Warmup bool // without a prompt: the client prepares its cache
	System bool // not a prompt: a text of the client for the model, within the conversation
}

// Answer is a piece of an answer of the model.
type Answer struct {
	At         records.Locator
	Key        string // the same for all pieces of one answer; "" for an answer that comes in one piece
	Time       string
	Model      string // provider/model
	Provider   string // whose ProviderID it is
	ProviderID string
	Text       string
	Thinking   string
	Anew       bool // text and thinking replace earlier pieces, instead of following them
	Calls      []Call
	Stop       string // why it ended, in the words of the agent; the last one counts
	Usage      *Usage // of the answer so far; the last one counts
	Prompt     string // hash of the system prompt
	Tools      []string
	Warmup     bool // without a prompt: the client prepared its cache
}

// Usage are the tokens of an answer.
type Usage struct {
	records.TokenUsage
	CacheWrite1H int64 // the part of CacheWriteTokens that is kept for an hour
}

// Call is a call of a tool.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage
	// The call's data about the project: the paths that it reads or writes, and its command line.
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
	Seen       *File // the content of a whole file that the result shows
	Commit     *Commit
}

// File is a whole file.
type File struct{ Path, Content string }

// Commit is a commit that a call made, by its result.
type Commit struct {
	SHA    string `json:"sha"` // often abbreviated
	Kind   string `json:"kind,omitempty"`
	Branch string `json:"branch,omitempty"`
	Step   int    `json:"step"`
	Only   bool   `json:"only,omitempty"` // the agent says that it holds only the lines of its step's calls
}

// Edit is the change of a call in one file.
type Edit struct {
	Path  string
	Text  string // what it wrote: the new text of an edit, the whole content of a new file
	Hunks []Hunk // where, in order; nil when the place is not known
}

// Hunk replaces lines of a file. At counts in the file before the edit.
type Hunk struct {
	At      int // the first removed line; without removed lines, the line before which the new ones are inserted
	Removed int
	Added   int
	Lines   []string // the added lines, nil when their text is not known exactly
}

// Whatever is the Removed of a hunk that writes a whole file, if it is unknown whether the file existed before.
const Whatever = 1 << 30

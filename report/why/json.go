package why

import (
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Schema names the form of [Document]; docs/schema/why-1.schema.json describes it.
const Schema = "git-trace.why/1"

// Document is the answer of git trace why --json.
type Document struct {
	Schema string   `json:"schema"`
	Places []*Place `json:"places"`
}

// Place is a place in a file, with the reasons for its lines.
type Place struct {
	Path       string       `json:"path"`
	PathBase64 string       `json:"path_base64,omitempty"` // path in base64, only if it is not UTF-8
	Revision   *string      `json:"revision"`              // null for the work tree
	Reasons    []ReasonJSON `json:"reasons"`
}

// ReasonJSON is a reason in JSON.
type ReasonJSON struct {
	Lines []LineJSON `json:"lines"`
	blame.OwnerJSON
	Prompt    *PromptJSON     `json:"prompt"`
	Step      *int            `json:"step"`
	Reasoning *string         `json:"reasoning"`
	Answer    *string         `json:"answer"`
	Call      *view.WholeCall `json:"call"`
	Hunk      *view.Hunk      `json:"hunk"`
	blame.EvidenceJSON
	Limits   []events.Limit   `json:"limits,omitempty"`
	Commit   *CommitJSON      `json:"commit"`
	Replaced []*view.Hunk     `json:"replaced"`
	Since    *trail.TrailJSON `json:"since"` // trail in the form of git trace track
}

// LineJSON is a line of the file.
type LineJSON struct {
	Line       int    `json:"line"`
	Text       string `json:"text"`
	TextBase64 string `json:"text_base64,omitempty"`
}

// PromptJSON is the prompt that led to lines.
type PromptJSON struct {
	Index int        `json:"index"`
	Time  *time.Time `json:"time"`
	Text  *string    `json:"text"`
}

// CommitJSON is the commit that added lines.
type CommitJSON struct {
	ID      refs.OID `json:"id"`
	Subject string   `json:"subject"`
	Author  string   `json:"author"`
	Mail    string   `json:"author_mail"`
	Time    string   `json:"author_time"`

	Reviews []view.Review `json:"reviews,omitempty"`
}

// PlaceOf returns lines and their reasons for JSON.
func PlaceOf(path, rev string, reasons []*Reason, reviews map[refs.OID][]view.Review) *Place {
	out := &Place{Path: path, PathBase64: events.EncodeBytes(path), Revision: events.OrNull(rev), Reasons: []ReasonJSON{}}
	for _, r := range reasons {
		one := r.json()
		if one.Commit != nil {
			one.Commit.Reviews = reviews[one.Commit.ID]
		}
		out.Reasons = append(out.Reasons, one)
	}
	return out
}

func (r *Reason) json() ReasonJSON {
	o := r.Owner()
	out := ReasonJSON{Lines: []LineJSON{}, Call: r.Call, Hunk: r.Hunk, Limits: o.Limits,
		Replaced: append([]*view.Hunk{}, r.Replaced...)}
	out.OwnerJSON, out.EvidenceJSON = o.JSON()
	for i := range r.Lines {
		text := string(r.Lines[i].Content)
		out.Lines = append(out.Lines, LineJSON{r.Lines[i].FinalLine, valid(text),
			events.EncodeBytes(text)})
	}
	switch t := r.Turn; {
	case t != nil:
		out.Prompt = &PromptJSON{t.Index, t.Time, t.Text}
	case o.PromptIndex > 0: // only the prompt's number is known
		out.Prompt = &PromptJSON{Index: o.PromptIndex}
	}
	if s := r.Step; s != nil {
		out.Step, out.Reasoning, out.Answer = &s.StepIndex, s.ReasoningContent, s.Content
		if r.Call != nil && r.Call.Thought != "" {
			out.Reasoning = &r.Call.Thought
		}
	}
	if c := r.Commit(); c != nil {
		out.Commit = &CommitJSON{
			ID: c.ID, Subject: valid(c.Summary), Author: valid(c.Author.Name), Mail: valid(c.Author.BareMail()),
			Time: c.Author.When().Format(time.RFC3339),
		}
	}
	if r.Trail != nil {
		out.Since = trail.JSON([]*trail.Trail{r.Trail}).Trails[0]
	}
	return out
}

func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

package main

import (
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
)

// whyView is a place with the reasons for its lines.
type whyView struct {
	path, rev string
	reasons   []*why.Reason
	reviews   map[refs.OID][]view.Review
}

type jsonPlace struct {
	Path       string       `json:"path"`
	PathBase64 string       `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Revision   *string      `json:"revision"`              // null for the work tree
	Reasons    []jsonReason `json:"reasons"`
}

type jsonReason struct {
	Lines []jsonWhyLine `json:"lines"`
	blame.OwnerJSON
	Prompt    *jsonWhyPrompt  `json:"prompt"`
	Step      *int            `json:"step"`
	Reasoning *string         `json:"reasoning"`
	Answer    *string         `json:"answer"`
	Call      *view.WholeCall `json:"call"`
	Hunk      *view.Hunk      `json:"hunk"`
	blame.EvidenceJSON
	Limits   []events.Limit `json:"limits,omitempty"`
	Commit   *jsonWhyCommit `json:"commit"`
	Replaced []*view.Hunk   `json:"replaced"`
	Since    any            `json:"since"` // as git trace track has it
}

type jsonWhyLine struct {
	Line       int    `json:"line"`
	Text       string `json:"text"`
	TextBase64 string `json:"text_base64,omitempty"`
}

type jsonWhyPrompt struct {
	Index int        `json:"index"`
	Time  *time.Time `json:"time"`
	Text  *string    `json:"text"`
}

type jsonWhyCommit struct {
	ID      refs.OID `json:"id"`
	Subject string   `json:"subject"`
	Author  string   `json:"author"`
	Mail    string   `json:"author_mail"`
	Time    string   `json:"author_time"`

	Reviews []view.Review `json:"reviews,omitempty"`
}

// MarshalJSON returns the place with its reasons.
func (v *whyView) MarshalJSON() ([]byte, error) {
	out := jsonPlace{Path: v.path, PathBase64: events.EncodeBytes(v.path), Revision: events.OrNull(v.rev),
		Reasons: []jsonReason{}}
	for _, r := range v.reasons {
		one := reasonJSON(r)
		if one.Commit != nil {
			one.Commit.Reviews = v.reviews[one.Commit.ID]
		}
		out.Reasons = append(out.Reasons, one)
	}
	return marshal(out)
}

func reasonJSON(r *why.Reason) jsonReason {
	o := r.Owner()
	out := jsonReason{Lines: []jsonWhyLine{}, Call: r.Call, Hunk: r.Hunk, Limits: o.Limits,
		Replaced: append([]*view.Hunk{}, r.Replaced...)}
	out.OwnerJSON, out.EvidenceJSON = o.JSON()
	for i := range r.Lines {
		text := string(r.Lines[i].Content)
		out.Lines = append(out.Lines, jsonWhyLine{r.Lines[i].FinalLine, strings.ToValidUTF8(text, "\ufffd"),
			events.EncodeBytes(text)})
	}
	switch t := r.Turn; {
	case t != nil:
		out.Prompt = &jsonWhyPrompt{t.Index, t.Time, t.Text}
	case o.PromptIndex > 0: // nothing but its number is here
		out.Prompt = &jsonWhyPrompt{Index: o.PromptIndex}
	}
	if s := r.Step; s != nil {
		out.Step, out.Reasoning, out.Answer = &s.StepIndex, s.ReasoningContent, s.Content
		if r.Call != nil && r.Call.Thought != "" {
			out.Reasoning = &r.Call.Thought
		}
	}
	if c := r.Commit(); c != nil {
		valid := func(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
		out.Commit = &jsonWhyCommit{
			ID: c.ID, Subject: valid(c.Summary), Author: valid(c.Author.Name), Mail: valid(c.Author.BareMail()),
			Time: c.Author.When().Format(time.RFC3339),
		}
	}
	if r.Trail != nil {
		out.Since = trail.JSON([]*trail.Trail{r.Trail}).Trails[0]
	}
	return out
}

// callOfStep returns the call as the record has it.
func callOfStep(r *why.Reason) *records.ToolCall {
	if r.Step == nil || r.Call == nil {
		return nil
	}
	for i := range r.Step.ToolCalls {
		if c := &r.Step.ToolCalls[i]; c.ToolCallID == r.Call.ToolCall {
			return c
		}
	}
	return nil
}

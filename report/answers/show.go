package answers

import (
	"encoding/json"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/waste"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
)

// ShowSchema names the form of [Show]; docs/schema/show-1.schema.json describes it.
const ShowSchema = "git-trace.show/1"

// Show is the answer of git trace show --json.
type Show struct {
	Schema   string    `json:"schema"`
	IDDigits int       `json:"id_digits"`
	Objects  []*Object `json:"objects"`
}

// Object is written as {"kind": KIND, KIND: {…}}.
type Object struct {
	Kind     string          `json:"kind"`
	Trace    *Talk           `json:"trace,omitempty"`
	Prompt   *view.WholeTurn `json:"prompt,omitempty"`
	ToolCall *view.WholeCall `json:"tool_call,omitempty"`
	Patch    *view.Hunk      `json:"patch,omitempty"`
	Commit   *Commit         `json:"commit,omitempty"`
	Event    json.RawMessage `json:"event,omitempty"` // event in its stored form
	Step     *TalkStep       `json:"step,omitempty"`
	Why      *why.Place      `json:"why,omitempty"`
}

// Talk is a conversation.
type Talk struct {
	view.Conversation
	Subagents []string    `json:"subagents"`
	Turns     []view.Turn `json:"turns"`
	// Record is the stored record; null without one.
	Record json.RawMessage `json:"record"`
	// Own reports whether this clone stored the record.
	Own bool `json:"own"`
	// Costs holds the costs of the agent's answers that have a price and a token count.
	Costs []view.AnswerCost `json:"costs"`
	// Waste describes unnecessary text in the context; null without a record.
	Waste *waste.Result `json:"waste"`
}

// TalkStep is one step of a conversation.
type TalkStep struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Step    *records.Step  `json:"step"`
	Hunks   []*view.Hunk   `json:"hunks"` // hunks that its calls wrote
}

// Commit is a commit in the form of the graph, with the commits that it replaced or that replaced it.
type Commit struct {
	graph.CommitJSON
	Rewrites []Rewrite     `json:"rewrites,omitempty"`
	Reviews  []view.Review `json:"reviews,omitempty"`
}

// Rewrite says that a commit replaced another.
type Rewrite struct {
	Old  refs.OID `json:"old"`
	New  refs.OID `json:"new"`
	Kind string   `json:"kind"`
}

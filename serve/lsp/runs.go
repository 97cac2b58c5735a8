package lsp

import (
	"encoding/json"
	"strconv"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/records"
)

// runs is the answer of git trace blame --json=runs.
type runs struct {
	blame.RunsJSON
	raw json.RawMessage
}

// block is a range of neighbouring lines that one prompt wrote, in whatever commits they are.
type block struct {
	Start int    `json:"start"` // first line, counted from 1
	Count int    `json:"count"`
	ID    string `json:"id"`    // id of the prompt
	Label string `json:"label"` // "claude-code 4f2a#3"
	Hue   int    `json:"hue"`   // colour of the conversation, from 0

	asked string
}

// blocks returns the blocks of lines that conversations wrote, in order.
func (r *runs) blocks() []block {
	var out []block
	for _, one := range r.Runs {
		if one.Trace == nil {
			continue
		}
		b := r.block(one)
		if last := len(out) - 1; last >= 0 && out[last].ID == b.ID && out[last].Start+out[last].Count == b.Start {
			out[last].Count += b.Count
			continue
		}
		out = append(out, b)
	}
	return out
}

func (r *runs) block(one blame.RunJSON) block {
	trace := records.Value(one.Trace)
	talk := r.Conversations[trace]
	b := block{Start: one.Start, Count: one.Count, ID: trace, Hue: cells.Hue(trace)}
	short := talk.Short
	if short == "" {
		short = trace
	}
	if one.Prompt != nil {
		prompt := strconv.Itoa(*one.Prompt)
		b.ID, short, b.asked = b.ID+"#"+prompt, short+"#"+prompt, talk.Prompts[prompt]
	}
	b.Label = cells.Line(records.Value(talk.Agent) + " " + short)
	return b
}

// `at` returns the run of a line, counted from 1.
func (r *runs) at(line int) (blame.RunJSON, bool) {
	for _, one := range r.Runs {
		if one.Start <= line && line < one.Start+one.Count {
			return one, true
		}
	}
	return blame.RunJSON{}, false
}

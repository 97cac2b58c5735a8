package view

import (
	"context"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// WholeTurn is a prompt with the answers and calls after it.
type WholeTurn struct {
	Turn
	Said  []Said       `json:"said"`
	Calls []*WholeCall `json:"calls"`
}

// Said is a text in a step that the agent wrote for the person.
type Said struct {
	Step int    `json:"step"`
	Text string `json:"text"`
}

// WholeTurn finds a prompt of a conversation; nil if there is none with this number. The result `of` is the number of
// prompts.
func (r *Reader) WholeTurn(ctx context.Context, trace events.TraceID, prompt int) (_ *WholeTurn, of int, _ error) {
	stored, err := r.Record(ctx, trace)
	if err != nil {
		return nil, 0, err
	}
	talk, err := r.Talk(trace, stored.Record)
	if err != nil {
		return nil, 0, err
	}
	for i := range talk.Turns {
		if talk.Turns[i].Index == prompt {
			turn, err := r.wholeTurn(&talk.Turns[i], stored.Record)
			return turn, len(talk.Turns), err
		}
	}
	return nil, len(talk.Turns), nil
}

func (r *Reader) wholeTurn(turn *Turn, record *records.Record) (*WholeTurn, error) {
	out := &WholeTurn{Turn: *turn, Said: []Said{}, Calls: []*WholeCall{}}
	of, _, err := r.Conversation(turn.Trace)
	if err != nil {
		return nil, err
	}
	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	held, err := lines.Anchors(turn.Trace, func(*events.AnchorOwner) bool { return true })
	if err != nil {
		return nil, err
	}
	for _, c := range turn.Calls {
		call := &WholeCall{Trace: turn.Trace, Agent: of.Agent, Session: of.Session, Call: c, Hunks: []*Hunk{}}
		var step *records.Step
		if record != nil && 0 < c.Step && c.Step <= len(record.Steps) {
			step = &record.Steps[c.Step-1]
			call.Input = inputOf(step, c.ToolCall)
		}
		if err := r.addHunks(call, held); err != nil {
			return nil, err
		}
		r.declares(call, step)
		out.Calls = append(out.Calls, call)
	}
	if record == nil || turn.said == 0 {
		return out, nil
	}
	for i, follows := range spoken(record).follows {
		step := &record.Steps[i]
		text := records.Value(step.Content)
		if follows == turn.said && step.Role == records.RoleAgent && step.ParentStep == nil &&
			strings.TrimSpace(text) != "" {
			out.Said = append(out.Said, Said{step.StepIndex, strings.ToValidUTF8(text, "\ufffd")})
		}
	}
	return out, nil
}

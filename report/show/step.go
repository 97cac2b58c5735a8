package show

import (
	"errors"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// stepView is one step of a conversation.
type stepView struct {
	answers.TalkStep
	seen []string // calls that hooks saw
}

// record reads the stored record of a conversation.
func (v *Viewer) record(trace events.TraceID) (view.StoredRecord, error) {
	r, err := v.known.Record(v.ctx, trace)
	if errors.Is(err, view.ErrRecord) {
		err = exit.Fail(exit.Unchecked, err, "git trace record "+string(trace)+" stores it again")
	}
	return r, err
}

// step returns one step of the record of a conversation.
func (v *Viewer) step(trace events.TraceID, n int) (Drawable, error) {
	r, err := v.record(trace)
	if err != nil {
		return nil, err
	}
	if r.Record == nil {
		return nil, missing(false, "record")
	}
	if n > len(r.Steps) {
		return nil, lookup.NoStep(trace, n, len(r.Steps))
	}
	hunks, err := v.known.StepHunks(trace, &r.Steps[n-1])
	out := &stepView{TalkStep: answers.TalkStep{
		Trace: trace, Agent: r.Agent.Name, Session: r.SessionID, Step: &r.Steps[n-1], Hunks: append([]*view.Hunk{}, hunks...),
	}}
	for i := range out.Step.ToolCalls {
		if id := out.Step.ToolCalls[i].ToolCallID; v.known.Heard(trace, id) {
			out.seen = append(out.seen, id)
		}
	}
	return out, err
}

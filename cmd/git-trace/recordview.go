package main

import (
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/store"
)

// stepView is one step of a conversation.
type stepView struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Step    *records.Step  `json:"step"`
}

// record reads the stored record of a conversation, as it is and as it is stored; nil when there is none. Own tells
// whether this clone stored it.
func (v *viewer) record(trace events.TraceID) (record *records.Record, raw []byte, own bool, err error) {
	e, err := v.prompts.Records.Find(v.ctx, trace)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, err
	}
	if raw, err = v.prompts.Records.Raw(e); err != nil {
		return nil, nil, false, err
	}
	if record, err = records.Decode(raw); err != nil {
		return nil, nil, false, fail(exitUnchecked, fmt.Errorf("record of %s: %w", trace, err),
			"git trace record "+string(trace)+" stores it anew")
	}
	return record, raw, e.Own(), nil
}

// step is one step of the record of a conversation.
func (v *viewer) step(trace events.TraceID, n int) (drawable, error) {
	r, _, _, err := v.record(trace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, missing(false, "record")
	}
	if n < 1 || n > len(r.Steps) {
		return nil, fail(exitFinding, fmt.Errorf("conversation %.8s has no step %d", trace, n),
			fmt.Sprintf("it has %s", plural(len(r.Steps), "step")))
	}
	return &stepView{Trace: trace, Agent: r.Agent.Name, Session: r.SessionID, Step: &r.Steps[n-1]}, nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/store"
)

// recordView is a conversation of which only the record is known: it was imported, or its log is elsewhere.
type recordView struct {
	Trace  events.TraceID  `json:"trace"`
	Own    bool            `json:"own"` // stored by this clone
	Record json.RawMessage `json:"record"`

	record *records.Record
}

// stepView is one step of a conversation.
type stepView struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Step    *records.Step  `json:"step"`
}

// record reads the stored record of a conversation; nil when there is none.
func (v *viewer) record(trace events.TraceID) (*recordView, error) {
	e, err := v.prompts.records.Find(v.ctx, trace)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := v.prompts.records.Raw(e)
	if err != nil {
		return nil, err
	}
	record, err := records.Decode(raw)
	if err != nil {
		return nil, fail(exitUnchecked, fmt.Errorf("record of %s: %w", trace, err), "git trace record "+string(trace)+" stores it anew")
	}
	return &recordView{Trace: trace, Own: e.Own(), Record: raw, record: record}, nil
}

// step is one step of the record of a conversation.
func (v *viewer) step(trace events.TraceID, n int) (view, error) {
	r, err := v.record(trace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, missing(false, "record")
	}
	if n < 1 || n > len(r.record.Steps) {
		return nil, fail(exitFinding, fmt.Errorf("conversation %.8s has no step %d", trace, n),
			fmt.Sprintf("it has %s", plural(len(r.record.Steps), "step")))
	}
	return &stepView{Trace: trace, Agent: r.record.Agent.Name, Session: r.record.SessionID, Step: &r.record.Steps[n-1]}, nil
}

// recorded finds conversations whose records are here, by the beginning of their id or by the agent's session id, which
// the store knows only of those it reads; so that is not asked.
func findRecord(ctx context.Context, s *store.Store, id string) ([]events.TraceID, error) {
	if len(id) < fewestDigits {
		return nil, nil
	}
	list, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []events.TraceID
	for _, e := range list {
		if strings.HasPrefix(string(e.Trace), strings.ToLower(id)) {
			out = append(out, e.Trace)
		}
	}
	return out, nil
}

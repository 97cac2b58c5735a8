package main

import (
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
)

// whyView is a place, with the reasons for its lines.
type whyView struct {
	path, rev string
	reasons   []*why.Reason
	reviews   map[refs.OID][]view.Review
}

// json returns the place as --json prints it.
func (v *whyView) json() *why.Place { return why.PlaceOf(v.path, v.rev, v.reasons, v.reviews) }

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

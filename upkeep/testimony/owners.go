package testimony

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Owners finds the owners of the lines that commits added. It reads only the log.
type Owners struct {
	ctx      context.Context
	evidence *blame.Evidence
	log      *view.Log
	hooked   map[events.TraceID]*callsHooked
}

func NewOwners(ctx context.Context, reader *view.Reader) *Owners {
	return &Owners{ctx: ctx, log: reader.Log(), evidence: reader.Owners(),
		hooked: map[events.TraceID]*callsHooked{}}
}

// Unknown returns the lines of a commit that have no known owner.
func (o *Owners) Unknown(commit refs.OID) claim.Unknown {
	return o.ofKind(commit, events.OwnerUnknown, "")
}

// Dispute lets unreported calls claim a person's lines, if the commit has the lines exactly as the call wrote them.
func (o *Owners) Dispute(commit refs.OID) *claim.Dispute {
	return &claim.Dispute{Persons: o.persons(commit), May: func(owner events.AnchorOwner, tier string) bool {
		if !correlate.Disputes(tier) {
			return false
		}
		if owner.Trace == "" {
			return false
		}
		calls, known := o.hooked[owner.Trace]
		if !known {
			calls = hookedCalls(o.log, owner.Trace)
			o.hooked[owner.Trace] = calls
		}
		return calls == nil || calls.native && !calls.told[owner.ToolCall]
	}}
}

// callsHooked holds the calls of a conversation that hooks reported.
type callsHooked struct {
	told   map[string]bool
	native bool // their ids are the session file's
}

// hookedCalls returns the reported calls of a conversation; nil if no hook reported the conversation.
func hookedCalls(log *view.Log, trace events.TraceID) *callsHooked {
	_, hooked, err := Told(log, trace)
	if err == nil && !hooked {
		return nil
	}
	out := &callsHooked{told: map[string]bool{}, native: err == nil}
	known, err := log.ByTrace(trace)
	out.native = out.native && err == nil
	for _, e := range known {
		if e.Type == events.WindowOpened || e.Type == events.WindowClosed || e.Type == events.WindowAbandoned {
			out.told[e.ToolCall] = true
			out.native = out.native && !slices.Contains(e.Limits, events.LimitIDMissing)
		}
	}
	return out
}

// persons reports which lines of a commit are a person's.
func (o *Owners) persons(commit refs.OID) claim.Unknown {
	return o.ofKind(commit, events.OwnerHuman)
}

func (o *Owners) ofKind(commit refs.OID, kinds ...events.OwnerKind) claim.Unknown {
	return func(path string, lines []int) ([]bool, error) {
		answers, err := o.evidence.Committed(o.ctx, commit, path, lines)
		if err != nil {
			return nil, err
		}
		out := make([]bool, len(answers))
		for i := range answers {
			out[i] = slices.Contains(kinds, answers[i].Kind)
		}
		return out, nil
	}
}

// Anchored reports whether the log has an anchor of a commit.
func (o *Owners) Anchored(commit refs.OID) (bool, error) {
	n, err := o.log.Anchors(commit)
	return n > 0, err
}

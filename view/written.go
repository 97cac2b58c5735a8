package view

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// Written is the writer of some lines: a patch, or, if hooks saw none, a call and a file.
type Written struct {
	Owner events.AnchorOwner
	Path  string // path as raw bytes; empty for a patch, which names it
}

// Written lists the lines of a conversation for which the function `want` accepts the prompt and the call. It reads no
// record.
func (r *Reader) Written(id events.TraceID, want func(prompt int, call string) bool) ([]Written, error) {
	recorded, err := r.log.Told(id)
	if err != nil {
		return nil, err
	}
	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	held, err := lines.Anchors(id, func(*events.AnchorOwner) bool { return true })
	if err != nil {
		return nil, err
	}
	var out []Written
	for _, a := range held {
		if a.Owner.Patch == "" && want(a.Owner.Prompt, a.Owner.ToolCall) {
			out = append(out, Written{a.Owner, a.Path})
		}
	}
	calls := callsOf(recorded, held)
	slices.SortStableFunc(calls, func(a, b Call) int { return a.Prompt - b.Prompt }) // as Talk has them
	for _, c := range calls {
		if !want(c.Prompt, c.ToolCall) {
			continue
		}
		for _, patch := range c.Patches {
			out = append(out, Written{Owner: events.AnchorOwner{Patch: patch}})
		}
	}
	return out, nil
}

// WrittenBy lists the patches of a tool call.
func (r *Reader) WrittenBy(ctx context.Context, call string) ([]Written, error) {
	c, err := r.Call(ctx, call)
	if err != nil || c == nil {
		return nil, err
	}
	return r.Written(c.Trace, func(_ int, id string) bool { return id == call })
}

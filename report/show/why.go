package show

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// WhyView is a place, with the reasons for its lines.
type WhyView struct {
	path, rev string
	reasons   []*why.Reason
	reviews   map[refs.OID][]view.Review
}

// JSON returns the place as --json prints it.
func (v *WhyView) JSON() *why.Place { return why.PlaceOf(v.path, v.rev, v.reasons, v.reviews) }

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

// Conversations returns the conversations that wrote the lines.
func (v *WhyView) Conversations() []events.TraceID {
	var out []events.TraceID
	for _, r := range v.reasons {
		if o := r.Owner(); o.Trace != "" {
			out = append(out, o.Trace)
		}
	}
	return out
}

// `Why` finds the reasons for lines. If `contents` is not nil, it replaces the content of the path.
func (v *Viewer) Why(rev string, p lookup.FileLines, contents []byte) (*WhyView, error) {
	path, err := lookup.PathInside(v.Repo, p.Name)
	if err != nil {
		return nil, err
	}
	f, err := v.follow()
	if err != nil {
		return nil, err
	}
	reasons := why.Finder{Known: v.known.Reader, Trails: f, Contents: contents}
	list, err := reasons.Lines(v.ctx, rev, path, p.First, p.Last)
	var none *why.NoLineError
	if errors.As(err, &none) {
		return nil, exit.Fail(exit.Git, fmt.Errorf("'%s' has %s", cells.Message(p.Name), numbers.Count(none.Lines, "line")),
			"")
	}
	if err != nil {
		return nil, blame.Explain(err)
	}
	var commits []refs.OID
	for _, r := range list {
		if c := r.Commit(); c != nil && !slices.Contains(commits, c.ID) {
			commits = append(commits, c.ID)
		}
	}
	reviews, err := v.known.Reviews(v.ctx, commits)
	return &WhyView{path, rev, list, reviews}, err
}

package resume

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// Point is a place in a conversation from which it can continue.
type Point struct {
	Conversation *view.Conversation
	Step         int // the first step that is left out; 0 for the end
	Prompt       int // number of the prompt that was named; 0 for none
	Files        view.Moment
	Seen         int // the step of the snapshot, if the named step has none; otherwise 0

	steps []records.Step
}

// Errors for a place from which a conversation cannot continue.
var (
	ErrNoRecord = errors.New("its texts are in no record")
	ErrNoStep   = errors.New("there is no such step")
	ErrSubagent = errors.New("it is a step of a sub-agent, which cannot continue alone")
	ErrFirst    = errors.New("nothing was said before")
)

// Find finds the point before a place in a conversation or, if `after` is set, the point after it. A place without a
// step and a prompt means the end.
func Find(ctx context.Context, r *view.Reader, c *view.Conversation, at view.Place, after bool) (*Point, error) {
	stored, err := r.Record(ctx, c.Trace)
	if err != nil {
		return nil, err
	}
	if stored.Record == nil {
		return nil, ErrNoRecord
	}
	p := &Point{Conversation: c, Prompt: at.Prompt, steps: stored.Steps}
	prompts := recorder.PromptSteps(stored.Record)
	named := at.Step
	if at.Prompt > 0 {
		named = prompts[at.Prompt]
	}
	switch {
	case at.Step == 0 && at.Prompt == 0:
	case named < 1 || named > len(p.steps):
		return nil, ErrNoStep
	case p.steps[named-1].ParentStep != nil:
		return nil, ErrSubagent
	case after && at.Prompt > 0:
		p.Step = p.nextPrompt(named, prompts)
	case after:
		p.Step = p.next(named)
	default:
		p.Step = named
	}
	if p.Step > 0 && p.main(p.Step-1) == 0 {
		return nil, ErrFirst
	}
	f := finder{ctx, r, p, map[int]int{}}
	for prompt, step := range prompts {
		f.prompts[step] = prompt
	}
	return p, f.files(at, named, after)
}

// main returns the last step of the main conversation up to a given step; 0 for none. Subagents' steps are not in the
// main conversation.
func (p *Point) main(step int) int {
	for step = min(step, len(p.steps)); step > 0 && p.steps[step-1].ParentStep != nil; step-- {
	}
	return max(step, 0)
}

// `next` returns the next step of the main conversation; 0 at the end.
func (p *Point) next(step int) int {
	for step++; step <= len(p.steps); step++ {
		if p.steps[step-1].ParentStep == nil {
			return step
		}
	}
	return 0
}

// nextPrompt returns the step of the next prompt; 0 for none.
func (p *Point) nextPrompt(step int, prompts map[int]int) int {
	next := 0
	for _, other := range prompts {
		if other > step && (next == 0 || other < next) {
			next = other
		}
	}
	return next
}

// finder finds the files for a point.
type finder struct {
	ctx context.Context
	r   *view.Reader
	*Point
	prompts map[int]int // numbers of prompts, by step
}

// files finds the snapshot of the named moment, or else the last earlier one.
func (f *finder) files(at view.Place, named int, after bool) error {
	at.Trace = f.Conversation.Trace
	if named > 0 {
		if number := f.prompts[named]; number > 0 && !after {
			at.Prompt, at.Step = number, 0
		}
		m, err := f.r.Moment(f.ctx, at, after)
		if !errors.Is(err, view.ErrNoMoment) {
			f.Files = m
			return err
		}
	}
	last := f.Step - 1
	if f.Step == 0 {
		last = len(f.steps)
	}
	var why error
	for step := last; step > 0; step-- {
		place, ended := view.Place{Trace: at.Trace, Step: step}, true
		if number := f.prompts[step]; number > 0 {
			place, ended = view.Place{Trace: at.Trace, Prompt: number}, false
		} else if len(f.steps[step-1].ToolCalls) == 0 {
			continue
		}
		m, err := f.r.Moment(f.ctx, place, ended)
		if errors.Is(err, view.ErrNoMoment) {
			why = err
			continue
		}
		f.Files, f.Seen = m, step
		return err
	}
	if why == nil {
		why = fmt.Errorf("%w: no hook saw this conversation", view.ErrNoMoment)
	}
	return why
}

// `same` reports whether a step of the session file equals the record's step.
func same(a, b *records.Step) bool {
	ids := func(s *records.Step) (out []string) {
		for i := range s.ToolCalls {
			out = append(out, s.ToolCalls[i].ToolCallID)
		}
		return out
	}
	return a.Role == b.Role && (a.ParentStep == nil) == (b.ParentStep == nil) && slices.Equal(ids(a), ids(b)) &&
		(a.Timestamp == nil) == (b.Timestamp == nil) && (a.Timestamp == nil || *a.Timestamp == *b.Timestamp)
}

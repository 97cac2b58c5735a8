package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Place names a prompt, a step, a call or an event. A place has a moment at its beginning and a moment at its end.
type Place struct {
	Trace  events.TraceID // conversation of a prompt or a step
	Prompt int
	Step   int
	Call   string
	Event  *events.Event
}

// Moment is the state of the work tree when a place began or ended.
type Moment struct {
	Tree     refs.OID
	Head     refs.OID // the commit that was checked out; zero if unknown
	Worktree string   // the linked work tree, "" for the main one
}

// ErrNoMoment reports a moment without a snapshot.
var ErrNoMoment = errors.New("no snapshot was taken")

// Moment finds the snapshot of the moment at which a place began or ended. It does not check whether the snapshot still
// exists.
//
// A prompt begins when it was sent and ends with its turn. A step has the moments of its calls. A boundary without
// changes has no snapshot: then the previous snapshot is valid.
func (r *Reader) Moment(ctx context.Context, p Place, after bool) (Moment, error) {
	switch {
	case p.Event != nil:
		if _, err := r.takenHere([]events.Event{*p.Event}, nil); err != nil {
			return Moment{}, err
		}
		return r.momentOf(p.Event)
	case p.Call != "":
		told, err := r.takenHere(r.log.ToolCall(p.Call))
		if err != nil {
			return Moment{}, err
		}
		return r.momentOfCalls(told, []string{p.Call}, after)
	}
	told, err := r.takenHere(r.log.Told(p.Trace))
	if err != nil {
		return Moment{}, err
	}
	seen := false
	for i := range told {
		seen = seen || carries(&told[i])
	}
	if !seen {
		return Moment{}, fmt.Errorf("%w: no hook saw this conversation", ErrNoMoment)
	}
	if p.Step > 0 {
		return r.momentOfStep(ctx, told, p, after)
	}
	return r.momentOfPrompt(told, p.Prompt, after)
}

// takenHere keeps the events that this clone wrote: their snapshots are trees of a work tree here. Events of other
// clones may name any tree, and their publications may bring its objects. Such a tree is never compared or restored,
// under any id.
func (r *Reader) takenHere(told []events.Event, err error) ([]events.Event, error) {
	if err != nil {
		return nil, err
	}
	own := make([]events.Event, 0, len(told))
	others := false
	for i := range told {
		wrote, err := r.log.Wrote(&told[i])
		if err != nil {
			return nil, err
		}
		if wrote {
			own = append(own, told[i])
		} else {
			others = others || carries(&told[i])
		}
	}
	if len(own) == 0 && others {
		return nil, fmt.Errorf("%w here: another clone saw it", ErrNoMoment)
	}
	return own, nil
}

// momentOfPrompt returns the moment at which a prompt was sent or its turn ended. If the end is unknown, the end of its
// last call counts.
func (r *Reader) momentOfPrompt(told []events.Event, prompt int, after bool) (Moment, error) {
	var begin, end *events.Event
	for i := range told {
		e := &told[i]
		switch e.Type {
		case events.PromptSubmitted:
			if begin == nil && events.DataOf[events.PromptData](*e).Index == prompt {
				begin = e
			}
		case events.TurnEnded:
			if e.Subagent == "" && events.DataOf[events.TurnData](*e).Prompt == prompt {
				end = e
			}
		case events.WindowClosed, events.WindowAbandoned:
			if (end == nil || end.Type != events.TurnEnded) && events.DataOf[events.WindowData](*e).Prompt == prompt {
				end = e
			}
		default:
		}
	}
	switch {
	case !after && begin != nil:
		return r.momentOf(begin)
	case after && end != nil:
		return r.momentOf(end)
	case after && begin != nil:
		return Moment{}, fmt.Errorf("%w: the end of the prompt was not seen", ErrNoMoment)
	}
	return Moment{}, fmt.Errorf("%w: no hook saw this prompt", ErrNoMoment)
}

// momentOfStep returns the moment of the step's calls, or of the prompt if the step is a prompt.
func (r *Reader) momentOfStep(ctx context.Context, told []events.Event, p Place, after bool) (Moment, error) {
	stored, err := r.Record(ctx, p.Trace)
	if err != nil {
		return Moment{}, err
	}
	if stored.Record == nil || p.Step > len(stored.Steps) {
		return Moment{}, fmt.Errorf("%w: there is no such step", ErrNoMoment)
	}
	var calls []string
	for _, c := range stored.Steps[p.Step-1].ToolCalls {
		calls = append(calls, c.ToolCallID)
	}
	return r.momentOfCalls(told, calls, after)
}

// momentOfCalls returns the moment at which the first of some calls began, or the last ended.
func (r *Reader) momentOfCalls(told []events.Event, calls []string, after bool) (Moment, error) {
	var at *events.Event
	open := false
	for i := range told {
		e := &told[i]
		for _, id := range calls {
			switch {
			case e.ToolCall != id:
			case e.Type == events.WindowOpened:
				if open = true; !after && at == nil {
					at = e
				}
			case after && (e.Type == events.WindowClosed || e.Type == events.WindowAbandoned):
				at = e
			}
		}
	}
	switch {
	case at != nil:
		return r.momentOf(at)
	case open:
		return Moment{}, fmt.Errorf("%w: the call has not ended", ErrNoMoment)
	}
	return Moment{}, fmt.Errorf("%w: hooks did not see a call there that may write", ErrNoMoment)
}

// tells holds the facts about the work tree in an event.
type tells struct {
	Tree refs.OID `json:"tree"`
	Head refs.OID `json:"head"`
}

// `carries` reports whether events of this type name the snapshot of their boundary.
func carries(e *events.Event) bool {
	switch e.Type {
	case events.SessionStarted, events.SessionEnded, events.WindowOpened, events.WindowClosed, events.WindowAbandoned,
		events.SnapshotTaken, events.TurnEnded:
		return true
	default:
		return false
	}
}

// momentOf returns the snapshot of an event's boundary: from the event, from another event of the boundary, or else the
// last earlier snapshot.
func (r *Reader) momentOf(e *events.Event) (Moment, error) {
	if slices.Contains(e.Limits, events.LimitBoundaryLate) {
		return Moment{}, fmt.Errorf("%w: its hook was too late", ErrNoMoment)
	}
	if m, found := momentIn(e); found {
		return m, nil
	}
	writer, err := r.log.OwnWriter()
	if err != nil {
		return Moment{}, err
	}
	if e.Writer != writer { // a log that was set aside
		return Moment{}, ErrNoMoment
	}
	for _, by := range []int64{1, -1} {
		for seq := e.Seq + by; ; seq += by {
			other, found, err := r.log.Event(seq)
			if err != nil {
				return Moment{}, err
			}
			if !found || by > 0 && !other.Time.Equal(e.Time) {
				break
			}
			if other.Worktree != e.Worktree || by > 0 && other.Trace != e.Trace {
				continue
			}
			if m, found := momentIn(&other); found {
				return m, nil
			}
		}
	}
	return Moment{}, ErrNoMoment
}

// LastMoment returns the number of the last event that names a snapshot of a work tree; 0 for none.
func (r *Reader) LastMoment(worktree string) (int64, error) {
	for seq := r.log.Last(); seq > 0; seq-- {
		e, found, err := r.log.Event(seq)
		if err != nil || !found {
			return 0, err
		}
		if _, names := momentIn(&e); names && e.Worktree == worktree {
			return seq, nil
		}
	}
	return 0, nil
}

func momentIn(e *events.Event) (Moment, bool) {
	var t tells
	if !carries(e) || json.Unmarshal(e.Data, &t) != nil || t.Tree.IsZero() {
		return Moment{}, false
	}
	return Moment{t.Tree, t.Head, e.Worktree}, true
}

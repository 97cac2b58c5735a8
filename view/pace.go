package view

import (
	"context"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// Pace holds an agent's working time for its prompts, and the waiting time between them.
type Pace struct {
	Worked time.Duration
	Waited time.Duration
}

// PaceOf adds up the turns with a known beginning and end. If several agents worked at the same time, this time counts
// once.
func PaceOf(turns []Turn) (p Pace) {
	var last *time.Time // the end of the previous turn
	for _, t := range timed(turns) {
		if last != nil && t.Time.After(*last) {
			p.Waited += t.Time.Sub(*last)
		}
		if last = t.Ended; last != nil {
			p.Worked += last.Sub(*t.Time)
		}
	}
	return p
}

// Took returns how long the agent worked on the prompt; 0 if unknown.
func (t *Turn) Took() time.Duration { return Between(t.Time, t.Ended) }

// Took returns how long the agent worked on the prompt; 0 if unknown.
func (a *Asked) Took() time.Duration { return Between(a.Time, a.Ended) }

// `Between` returns the time between two moments; 0 if one is unknown.
func Between(from, to *time.Time) time.Duration {
	if from == nil || to == nil {
		return 0
	}
	return to.Sub(*from)
}

// `timed` returns the turns with a time, by time.
func timed(turns []Turn) []*Turn {
	var out []*Turn
	for i := range turns {
		if turns[i].Time != nil {
			out = append(out, &turns[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Turn) int { return a.Time.Compare(*b.Time) })
	return out
}

// `end` sets the ends of the turns: the last moment of the turn in the log or the record, or the next prompt if that
// came first. The parameter `places` maps the numbers of prompts to turns. The parameter `saidAt` does the same for the
// prompts of the record.
func end(turns []Turn, recorded []events.Event, places map[int]int, said *conversationSteps, saidAt map[int]int) {
	later := func(i int, known bool, at *time.Time) {
		if known && at != nil && (turns[i].Ended == nil || at.After(*turns[i].Ended)) {
			turns[i].Ended = at
		}
	}
	for i := range recorded {
		if e := &recorded[i]; e.Type == events.TurnEnded && e.Subagent == "" {
			at, known := places[events.DataOf[events.TurnData](*e).Prompt]
			later(at, known, &e.Time)
		}
	}
	for i := range turns {
		for k := range turns[i].Calls {
			later(i, true, turns[i].Calls[k].Closed)
		}
	}
	if said != nil {
		for i := range said.record.Steps {
			at, known := saidAt[said.follows[i]]
			later(at, known, timeOf(records.Value(said.record.Steps[i].Timestamp)))
		}
	}
	list := timed(turns)
	for i, t := range list {
		switch {
		case t.Ended == nil:
		case t.Ended.Before(*t.Time):
			t.Ended = nil
		case i+1 < len(list) && t.Ended.After(*list[i+1].Time):
			t.Ended = list[i+1].Time
		}
	}
}

// Asked is a prompt of a conversation, with the time that it took.
type Asked struct {
	Index int        `json:"index"` // 0 if it is older than the first prompt in the log
	Time  *time.Time `json:"time"`  // null if unknown
	Ended *time.Time `json:"ended"`
	Text  *string    `json:"text"` // null if this machine does not have it
}

// Asked lists the prompts of a conversation that were sent between two times; a zero time is not a bound. A prompt
// without a time is never between two times.
func (r *Reader) Asked(ctx context.Context, id events.TraceID, since, until time.Time) ([]Asked, error) {
	stored, err := r.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	talk, err := r.Talk(id, stored.Record)
	if err != nil {
		return nil, err
	}
	out := []Asked{}
	for i := range talk.Turns {
		t := &talk.Turns[i]
		bounded := !since.IsZero() || !until.IsZero()
		switch {
		case t.Index == 0 && t.Text == nil: // calls before the first prompt
		case t.Time == nil && bounded, t.Time != nil && !since.IsZero() && t.Time.Before(since),
			t.Time != nil && !until.IsZero() && t.Time.After(until):
		default:
			out = append(out, Asked{t.Index, t.Time, t.Ended, t.Text})
		}
	}
	return out, nil
}

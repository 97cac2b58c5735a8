package web

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/view"
)

// `known` describes the evidence and the certainty of one event in the life of lines.
func known(s trail.StepJSON) string {
	return strings.ReplaceAll(s.Evidence, "_", " ") + ", confidence " + s.Confidence
}

// fate counts what happened to lines that an agent wrote.
type fate struct {
	Lines, Alive, Moved, Never int
	Changed, Reverted, Lost    []trail.LossJSON
	Places                     []trail.RunJSON
}

func (f *fate) add(trails ...*trail.TrailJSON) {
	for _, t := range trails {
		f.Lines += t.Lines
		f.Alive += t.Now.Alive
		f.Moved += t.Now.Moved
		f.Never += t.Now.NeverCommitted
		f.Changed = append(f.Changed, t.Now.Changed...)
		f.Reverted = append(f.Reverted, t.Now.Reverted...)
		f.Lost = append(f.Lost, t.Now.Lost...)
		f.Places = append(f.Places, t.Now.Places...)
	}
}

// ended is one way in which lines ended.
type ended struct {
	How   string
	Lines int
	By    []trail.LossJSON // each commit and author once
}

// Ends lists how the lines that are not alive ended.
func (f fate) Ends() []ended {
	var out []ended
	for _, e := range []ended{{"changed", 0, f.Changed}, {"reverted", 0, f.Reverted}, {"removed", 0, f.Lost},
		{"never committed", f.Never, nil}} {
		by := e.By
		e.By = nil
		for _, l := range by {
			e.Lines += l.Lines
			same := func(o trail.LossJSON) bool {
				return plain(o.Commit) == plain(l.Commit) && o.Author == l.Author && o.Trace == l.Trace
			}
			if !slices.ContainsFunc(e.By, same) {
				e.By = append(e.By, l)
			}
		}
		if e.Lines > 0 {
			out = append(out, e)
		}
	}
	return out
}

// trails requests the fate of all lines of a conversation.
func (q *question) trails(ctx context.Context, id string) ([]*trail.TrailJSON, error) {
	out, err := q.answers.get(ctx, nil, "track", "--json", id)
	if err != nil {
		if code(err) == http.StatusNotFound { // it wrote no lines that are known
			return nil, nil
		}
		return nil, err
	}
	var answer trail.Document
	err = json.Unmarshal(out, &answer)
	return answer.Trails, err
}

// followed holds the fate of a conversation's lines, or the reason why it is unknown.
type followed struct {
	trails []*trail.TrailJSON
	err    error

	hunks map[events.PatchID]*view.Hunk // hunks of the conversation, if they are few
}

// mostAhead limits the patches that are requested before the page knows which patches it shows whole.
const mostAhead = 50

// follow requests the fate of all lines of a conversation, while other requests run.
func (q *question) follow(ctx context.Context, id string) <-chan followed {
	out := make(chan followed, 1)
	if err := noTalk(id); err != nil {
		out <- followed{err: err}
		return out
	}
	fault.Go(func() {
		var f followed
		if f.trails, f.err = q.trails(ctx, id); f.err == nil {
			f.ahead(ctx, q)
		}
		out <- f
	})
	return out
}

// `ahead` requests the patches that the trails name, while the conversation is read. Other patches are requested later.
func (f *followed) ahead(ctx context.Context, q *question) {
	args := []string{"show", "--json"}
	for _, t := range f.trails {
		if t.Patch != "" { // a call that no hook saw has no patch
			args = append(args, string(t.Patch))
		}
	}
	if len(args) == 2 || len(args) > mostAhead {
		return
	}
	var answer shown
	if q.answers.into(ctx, &answer, args...) != nil {
		return
	}
	f.hunks = map[events.PatchID]*view.Hunk{}
	for _, o := range answer.Objects {
		if o.Patch != nil {
			f.hunks[o.Patch.Patch] = o.Patch
		}
	}
}

// `write` sets the patches of calls. It returns false if some are not known.
func (f *followed) write(calls map[string]*callBlock) bool {
	for _, block := range calls {
		for _, patch := range block.Patches {
			if f.hunks[patch] == nil {
				return false
			}
		}
	}
	for _, block := range calls {
		for _, patch := range block.Patches {
			block.Hunks = append(block.Hunks, f.hunks[patch])
		}
	}
	return true
}

// `follow` sets the fate of each call's lines, and sums it up.
func (b *talkBody) follow(trails []*trail.TrailJSON) {
	of := map[string][]*trail.TrailJSON{} // trails by patch, or by call if no hook saw the call
	for _, t := range trails {
		b.Fate.add(t)
		key := cmp.Or(string(t.Patch), t.ToolCall)
		of[key] = append(of[key], t)
	}
	slices.SortStableFunc(b.Fate.Places, func(x, y trail.RunJSON) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Start, y.Start))
	})
	for _, turn := range b.Turns {
		for _, c := range turn.wholeCalls() {
			c.Fate.add(of[c.ToolCall]...)
			for _, patch := range c.Patches {
				c.Fate.add(of[string(patch)]...)
			}
		}
	}
}

// tick is a mark on the time line, in thousandths of its length.
type tick struct {
	Kind     string // prompt, edit, run or other, with "failed" added
	X, Width string
	Address  string
	Label    string
	Waste    string // description of waste at this place
}

const (
	mostTicks = 600
	// the longest quiet period and the longest call, as drawn on the time line
	longestGap  = 45 * time.Second
	longestCall = 10 * time.Minute
)

// `wasted` describes the waste of a call of a step; empty if there is none.
func (b *talkBody) wasted(step int, call string) string {
	if b.Waste == nil || step == 0 {
		return ""
	}
	for i := range b.Waste.Findings {
		if f := &b.Waste.Findings[i]; f.Step == step && f.Call == call {
			return strings.TrimSpace(f.Kind.Words() + " " + f.Way(strconv.Itoa))
		}
	}
	return ""
}

// mark is a tick with its time.
type mark struct {
	tick
	at, took time.Duration
}

// ticks places prompts and calls on the time line. Long quiet periods are shortened. If there are too many ticks, those
// at the same place become one.
func (b *talkBody) ticks() []tick {
	var marks []mark
	var last time.Time
	var at time.Duration
	add := func(when *time.Time, took time.Duration, t tick) {
		if when == nil {
			return
		}
		if !last.IsZero() && when.After(last) {
			at += min(when.Sub(last), longestGap)
		}
		marks = append(marks, mark{t, at, took})
		if end := when.Add(took); end.After(last) {
			last = end
			at += took
		}
	}
	for i, turn := range b.Index {
		add(turn.Time, 0, tick{Kind: "prompt", Address: "#" + turn.Anchor, Label: "prompt " + strconv.Itoa(i+1)})
		for _, s := range turn.Steps {
			for _, c := range s.Calls {
				when := s.Time
				if c.Opened != nil {
					when = c.Opened
				}
				t := tick{Kind: c.kind(), Address: "#" + s.Anchor(), Label: c.Name + " " + numbers.Took(c.Took)}
				t.Waste = b.wasted(s.Number, c.ToolCall)
				add(when, min(c.Took, longestCall), t)
			}
		}
	}
	if len(marks) < 2 {
		return nil
	}
	whole := float64(max(at, time.Millisecond))
	var out []tick
	for _, m := range thinned(marks, whole) {
		m.X = thousandths(float64(m.at) / whole * 0.985)
		m.Width = thousandths(max(float64(m.took)/whole*0.985, 0.005))
		out = append(out, m.tick)
	}
	return out
}

// kind returns the kind of a call, which decides its colour on the time line.
func (c *callBlock) kind() string {
	switch {
	case c.Failed():
		return "failed"
	case c.runs() && len(c.Patches) == 0:
		return "run"
	case c.edits():
		return "edit"
	}
	return "other"
}

// `thinned` keeps only the most important of several marks at one place.
func thinned(marks []mark, whole float64) []mark {
	if len(marks) <= mostTicks {
		return marks
	}
	says := map[string]int{"other": 1, "run": 2, "edit": 3, "failed": 4, "prompt": 5}
	var out []mark
	slot, more := -1, 0
	for _, m := range marks {
		at := int(float64(m.at) / whole * (mostTicks - 1))
		if at != slot {
			slot, more = at, 0
			out = append(out, m)
			continue
		}
		more++
		best := &out[len(out)-1]
		label, took := best.Label, max(best.took, m.took)
		if says[m.Kind] > says[best.Kind] {
			label = m.Label
			*best = m
		}
		label, _, _ = strings.Cut(label, ", and ")
		best.Label, best.took = label+", and "+strconv.Itoa(more)+" more", took
	}
	return out
}

func thousandths(part float64) string {
	return strconv.FormatFloat(math.Round(part*10000)/10, 'f', 1, 64)
}

package trails

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// actor is the maker of a change: the decision about one run of lines of one interval.
type actor struct {
	kind       events.OwnerKind
	window     *Window // nil for a person, for unknown, and for several candidates
	candidates []events.CandidateData
	limits     []events.Limit
	seen       bool // a person whom an editor saw type
}

var (
	person = actor{kind: events.OwnerHuman}
	nobody = actor{kind: events.OwnerUnknown}
	typist = actor{kind: events.OwnerHuman, seen: true}
)

// beside returns a person with a limitation if what they accepted in an editor would not be told.
func (a actor) beside(editing func() bool) actor {
	if a.kind == events.OwnerHuman && !a.seen && editing != nil && editing() {
		a.limits = unionLimits(a.limits, []events.Limit{events.LimitCompletionUntold})
	}
	return a
}

// key names the actor. Equal actors have equal keys; a person is all zeros.
func (a actor) key() ledger.OwnerKey {
	if a.kind == events.OwnerHuman && !a.seen && !slices.Contains(a.limits, events.LimitCompletionUntold) {
		return ledger.Person
	}
	parts := []string{string(a.kind)}
	if a.seen {
		parts = append(parts, string(events.SeenTyping))
	}
	if a.window != nil {
		parts = append(parts, string(a.window.Trace), a.window.CallID)
	}
	for _, c := range a.candidates {
		parts = append(parts, string(c.Trace), c.ToolCall)
	}
	for _, l := range a.limits {
		parts = append(parts, string(l))
	}
	return ledger.NewOwnerKey(parts)
}

// evidence returns the evidence that a person wrote the lines, or "" if the actor is not a person.
func (a actor) evidence() events.Watch {
	switch {
	case a.kind != events.OwnerHuman:
		return ""
	case a.seen:
		return events.SeenTyping
	}
	return events.Watched
}

// describe returns the actor as an anchor names it.
func (a actor) describe() events.AnchorOwner {
	o := events.AnchorOwner{Kind: a.kind, Candidates: a.candidates, Limits: a.limits}
	if w := a.window; w != nil {
		o.Trace, o.Agent, o.Session, o.Subagent = w.Trace, w.Agent, w.Session, w.Subagent
		o.Model, o.Tool, o.ToolCall, o.Prompt, o.Step = w.Model, w.Tool, w.CallID, w.Prompt, w.Step
		o.Limits = unionLimits(w.Limits, a.limits)
		return o
	}
	o.Evidence = a.evidence()
	// Candidates of one conversation leave only the tool call open.
	if len(a.candidates) > 0 && !slices.ContainsFunc(a.candidates, func(c events.CandidateData) bool {
		return c.Trace != a.candidates[0].Trace
	}) {
		o.Trace, o.Agent, o.Session = a.candidates[0].Trace, a.candidates[0].Agent, a.candidates[0].Session
	}
	return o
}

// patchSeed holds the facts from which the id of a patch follows: where and when it was made.
type patchSeed struct {
	writer   string
	worktree string
	interval int64
	path     string
	start    int
	count    int
	old      int
	after    refs.OID
	segment  int
}

func (s patchSeed) id(owner ledger.OwnerKey) events.PatchID {
	var b bytes.Buffer
	for _, part := range []string{
		s.writer, s.worktree, strconv.FormatInt(s.interval, 10), s.path, strconv.Itoa(s.start), strconv.Itoa(s.count),
		strconv.Itoa(s.old), s.after.String(), strconv.Itoa(s.segment),
	} {
		b.WriteString(part)
		b.WriteByte(0)
	}
	return ledger.PatchOf(b.Bytes(), owner)
}

func without(limits []events.Limit, limit events.Limit) []events.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l events.Limit) bool { return l == limit })
}

func unionLimits(a, b []events.Limit) []events.Limit {
	out := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

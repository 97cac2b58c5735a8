package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// object is the object of an id. One of the fields after kind is set.
type object struct {
	kind     objectKind
	trace    events.TraceID // of a conversation, prompt or step
	prompt   int
	step     int
	toolCall string
	patch    events.PatchID
	commit   refs.OID
	event    events.Event
}

// objectKind is a kind of object that show can show.
type objectKind string

const (
	traceObject    objectKind = "trace"
	promptObject   objectKind = "prompt"
	toolCallObject objectKind = "tool_call"
	patchObject    objectKind = "patch"
	commitObject   objectKind = "commit"
	eventObject    objectKind = "event"
	stepObject     objectKind = "step"
	whyObject      objectKind = "why"
)

// resolver finds the object of an id. A short id that other commands print for a conversation always means that
// conversation, whatever other ids begin with the same digits.
type resolver struct {
	repo   *refs.Repo
	known  *conversations
	demand demander // nil: do not ask remotes
}

// resolve accepts ids of conversations (a trace id or the agent's session id), TRACE#N, and ids of tool calls and
// patches. It also accepts commits as git names them, and events (b3:… or @N).
func (r *resolver) resolve(ctx context.Context, id string) (object, error) {
	id = strings.TrimSuffix(strings.TrimSpace(id), "…") // the sign after an abbreviated id
	if seq, ok := strings.CutPrefix(id, "@"); ok {
		return r.numbered(id, seq)
	}
	if at := strings.LastIndexAny(id, "#:"); at > 0 && !strings.HasPrefix(id, "b3:") {
		if n, err := strconv.Atoi(id[at+1:]); err == nil {
			if id[at] == ':' {
				o, ok, err := r.stepOf(ctx, id[:at], n)
				if ok || err != nil {
					return o, err
				}
				if o.trace != "" { // without a record, the number means a prompt
					return object{kind: promptObject, trace: o.trace, prompt: n, step: n}, nil
				}
			}
			trace, err := r.numberIn(id[:at], promptObject, n)
			return object{kind: promptObject, trace: trace, prompt: n}, err
		}
	}
	found, err := r.known.lookUp(id)
	if err != nil {
		return object{}, err
	}
	return r.choose(ctx, id, found)
}

// noSteps is the error for a step of a conversation without a record: only records have steps.
func noSteps(trace events.TraceID, n int) error {
	return exit.Fail(exit.Finding, fmt.Errorf("step %d of conversation %.8s is not here: its texts are in no record", n,
		trace),
		fmt.Sprintf("git trace record %.8s reads its session file; git trace show %.8s has its prompts and calls",
			trace, trace))
}

// numberIn finds the conversation in which a number names a prompt or a step.
func (r *resolver) numberIn(id string, kind objectKind, n int) (events.TraceID, error) {
	trace, err := r.known.find(id)
	if err == nil && n < 1 {
		err = exit.Fail(exit.Finding, fmt.Errorf("conversation %.8s has no %s %d", trace, kind, n), "they count from 1")
	}
	return trace, err
}

// stepCalls returns the calls of a step. name is the step as the person typed it.
func stepCalls(ctx context.Context, known *conversations, name string, o object) ([]string, error) {
	stored, err := known.Record(ctx, o.trace)
	if err != nil || stored.Record == nil {
		return nil, errors.Join(err, noSteps(o.trace, o.step))
	}
	if o.step > len(stored.Steps) {
		return nil, noStep(o.trace, o.step, len(stored.Steps))
	}
	var calls []string
	for _, call := range stored.Steps[o.step-1].ToolCalls {
		calls = append(calls, call.ToolCallID)
	}
	if len(calls) == 0 {
		return nil, exit.Fail(exit.Finding, fmt.Errorf("step '%s' has no call", name),
			"git trace show "+string(o.trace)[:8]+" lists its prompts and calls")
	}
	return calls, nil
}

// noStep is the error for a number beyond the last step.
func noStep(trace events.TraceID, n, of int) error {
	return exit.Fail(exit.Finding, fmt.Errorf("conversation %.8s has no step %d", trace, n), "it has "+numbers.Count(of,
		"step"))
}

// stepOf returns a step of a conversation with a record, or the conversation if it has no record.
func (r *resolver) stepOf(ctx context.Context, id string, n int) (object, bool, error) {
	trace, err := r.numberIn(id, stepObject, n)
	if trace == "" {
		return object{}, false, nil // no conversation, so no step
	}
	if err != nil {
		return object{trace: trace}, false, err
	}
	if r.demand != nil {
		if err := r.demand(ctx, r.repo, trace); err != nil {
			return object{}, false, err
		}
	}
	if _, err := r.known.Prompts().Records.Find(ctx, trace); err != nil {
		return object{trace: trace}, false, nil //nolint:nilerr // without a record its steps are unknown
	}
	return object{kind: stepObject, trace: trace, step: n}, true, nil
}

// choose decides between objects of the log and of git with the same name.
func (r *resolver) choose(ctx context.Context, id string, found []view.Candidate) (object, error) {
	var traces, others, hashes []view.Candidate
	for _, c := range found {
		switch {
		case isInFull(c, id):
			return objectOf(c), nil
		case c.Kind == view.FoundTrace:
			traces = append(traces, c)
		case c.Kind == view.FoundEvent:
			hashes = append(hashes, c)
		default:
			others = append(others, c)
		}
	}
	switch len(traces) {
	case 1:
		return objectOf(traces[0]), nil
	case 0:
	default:
		return object{}, ambiguousID(id, traces)
	}
	commit, known, err := r.commit(ctx, id)
	if err != nil {
		return object{}, err
	}
	if known {
		isDigits := strings.Trim(id, "0123456789abcdefABCDEF") == ""
		same := view.Candidate{Kind: view.FoundCommit, ID: commit.String()}
		others = slices.DeleteFunc(others, func(c view.Candidate) bool { return c.Kind == same.Kind && c.ID == same.ID })
		others = append(others, same)
		if !isDigits || len(others) == 1 {
			return object{kind: commitObject, commit: commit}, nil
		}
	}
	if len(others) == 0 { // in a long log, any short prefix fits the hash of some event
		others = hashes
	}
	switch len(others) {
	case 1:
		return objectOf(others[0]), nil
	case 0:
		hint := r.known.meantID(id, "git trace log lists conversations, git trace graph commits")
		if fileExists(id) {
			hint = fmt.Sprintf("git trace log -- %[1]s lists the conversations of that file, git trace blame %[1]s its lines",
				cells.Message(id))
		}
		if len(id) < fewestDigits {
			hint = fmt.Sprintf("an abbreviated id has %d characters or more", fewestDigits)
		}
		return object{}, exit.Fail(exit.Git, fmt.Errorf("nothing has the id '%s'", id), hint)
	}
	return object{}, ambiguousID(id, others)
}

func objectOf(c view.Candidate) object {
	switch c.Kind {
	case view.FoundTrace:
		return object{kind: traceObject, trace: events.TraceID(c.ID)}
	case view.FoundPatch:
		return object{kind: patchObject, patch: events.PatchID(c.ID)}
	case view.FoundToolCall:
		return object{kind: toolCallObject, toolCall: c.ID}
	case view.FoundCommit:
		commit, _ := refs.ParseOID(c.ID)
		return object{kind: commitObject, commit: commit}
	case view.FoundEvent:
	}
	return object{kind: eventObject, event: c.Event}
}

// seeObject returns the hint for an object without lines. It does not suggest to show a prompt that its conversation
// does not have.
func seeObject(name string, o object) string {
	if o.prompt > 0 {
		return fmt.Sprintf("git trace show %.8s lists its prompts and calls", o.trace)
	}
	return "git trace show " + name + " shows what is known of it"
}

// numbered returns the event with a number in this clone's log.
func (r *resolver) numbered(id, text string) (object, error) {
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 {
		return object{}, exit.Fail(exit.Finding, fmt.Errorf("'%s' is not an event number", id), "events are numbered from @1")
	}
	e, ok, err := r.known.Log().Event(seq)
	if err != nil {
		return object{}, err
	}
	if !ok {
		return object{}, exit.Fail(exit.Finding, fmt.Errorf("there is no event %d", seq),
			fmt.Sprintf("the log ends at @%d", r.known.Log().Last()))
	}
	return object{kind: eventObject, event: e}, nil
}

// commit lets git resolve a commit in any form of gitrevisions(7).
func (r *resolver) commit(ctx context.Context, id string) (commit refs.OID, known bool, err error) {
	if id == "" || id[0] == '-' {
		return refs.OID{}, false, nil
	}
	out, err := r.repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", id+"^{commit}")
	var refused *refs.GitError
	if errors.As(err, &refused) {
		return refs.OID{}, false, nil
	}
	if err != nil {
		return refs.OID{}, false, err
	}
	commit, err = refs.ParseOID(strings.TrimSpace(string(out)))
	return commit, err == nil, err
}

package lookup

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// Object is the object of an id. Its kind determines which of the other fields are set.
type Object struct {
	Kind     ObjectKind
	Trace    events.TraceID // of a conversation, prompt or step
	Prompt   int
	Step     int
	ToolCall string
	Patch    events.PatchID
	Commit   refs.OID
	Event    events.Event
}

// ObjectKind is a kind of object that git trace show can show.
type ObjectKind string

const (
	TraceObject    ObjectKind = "trace"
	PromptObject   ObjectKind = "prompt"
	ToolCallObject ObjectKind = "tool_call"
	PatchObject    ObjectKind = "patch"
	CommitObject   ObjectKind = "commit"
	EventObject    ObjectKind = "event"
	StepObject     ObjectKind = "step"
	WhyObject      ObjectKind = "why"
)

// Resolver finds the object of an id. A short id that other commands print for a conversation always means that
// conversation, whatever other ids begin with the same digits.
type Resolver struct {
	Repo   *refs.Repo
	Known  *Conversations
	Demand Demander // nil if other clones are not asked
}

// Resolve accepts ids of conversations (a trace id or the agent's session id), TRACE#N, and ids of tool calls and
// patches. It also accepts commits as git names them, and events (b3:… or @N).
func (r *Resolver) Resolve(ctx context.Context, id string) (Object, error) {
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
				if o.Trace != "" { // without a record, the number means a prompt
					return Object{Kind: PromptObject, Trace: o.Trace, Prompt: n, Step: n}, nil
				}
			}
			trace, err := r.numberIn(id[:at], PromptObject, n)
			return Object{Kind: PromptObject, Trace: trace, Prompt: n}, err
		}
	}
	found, err := r.Known.lookUp(id)
	if err != nil {
		return Object{}, err
	}
	return r.choose(ctx, id, found)
}

// NoSteps is the error for a step of a conversation without a record: only records have steps.
func NoSteps(trace events.TraceID, n int) error {
	return exit.Fail(exit.Finding, fmt.Errorf("step %d of conversation %.8s is not here: its texts are in no record", n,
		trace),
		fmt.Sprintf("git trace record %.8s reads its session file; git trace show %.8s has its prompts and calls",
			trace, trace))
}

// numberIn finds the conversation in which a number names a prompt or a step.
func (r *Resolver) numberIn(id string, kind ObjectKind, n int) (events.TraceID, error) {
	trace, err := r.Known.FindTrace(id)
	if err == nil && n < 1 {
		err = exit.Fail(exit.Finding, fmt.Errorf("conversation %.8s has no %s %d", trace, kind, n), "they count from 1")
	}
	return trace, err
}

// StepCalls returns the calls of a step. The parameter `name` is the step as the person typed it.
func StepCalls(ctx context.Context, known *Conversations, name string, o Object) ([]string, error) {
	stored, err := known.Record(ctx, o.Trace)
	if err != nil || stored.Record == nil {
		return nil, errors.Join(err, NoSteps(o.Trace, o.Step))
	}
	if o.Step > len(stored.Steps) {
		return nil, NoStep(o.Trace, o.Step, len(stored.Steps))
	}
	var calls []string
	for _, call := range stored.Steps[o.Step-1].ToolCalls {
		calls = append(calls, call.ToolCallID)
	}
	if len(calls) == 0 {
		return nil, exit.Fail(exit.Finding, fmt.Errorf("step '%s' has no call", name),
			"git trace show "+string(o.Trace)[:8]+" lists its prompts and calls")
	}
	return calls, nil
}

// NoStep is the error for a number beyond the last step.
func NoStep(trace events.TraceID, n, of int) error {
	return exit.Fail(exit.Finding, fmt.Errorf("conversation %.8s has no step %d", trace, n), "it has "+numbers.Count(of,
		"step"))
}

// stepOf returns a step of a conversation with a record, or the conversation if it has no record.
func (r *Resolver) stepOf(ctx context.Context, id string, n int) (Object, bool, error) {
	trace, err := r.numberIn(id, StepObject, n)
	if trace == "" {
		return Object{}, false, nil // no conversation, so no step
	}
	if err != nil {
		return Object{Trace: trace}, false, err
	}
	if r.Demand != nil {
		if err := r.Demand(ctx, r.Repo, trace); err != nil {
			return Object{}, false, err
		}
	}
	if _, err := r.Known.Prompts().Records.Find(ctx, trace); err != nil {
		return Object{Trace: trace}, false, nil //nolint:nilerr // without a record its steps are unknown
	}
	return Object{Kind: StepObject, Trace: trace, Step: n}, true, nil
}

// choose decides between objects of the log and of git with the same name.
func (r *Resolver) choose(ctx context.Context, id string, found []view.Candidate) (Object, error) {
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
		return Object{}, ambiguousID(id, traces)
	}
	commit, known, err := r.Commit(ctx, id)
	if err != nil {
		return Object{}, err
	}
	if known {
		isDigits := strings.Trim(id, "0123456789abcdefABCDEF") == ""
		same := view.Candidate{Kind: view.FoundCommit, ID: commit.String()}
		others = slices.DeleteFunc(others, func(c view.Candidate) bool { return c.Kind == same.Kind && c.ID == same.ID })
		others = append(others, same)
		if !isDigits || len(others) == 1 {
			return Object{Kind: CommitObject, Commit: commit}, nil
		}
	}
	if len(others) == 0 { // in a long log, any short prefix fits the hash of some event
		others = hashes
	}
	switch len(others) {
	case 1:
		return objectOf(others[0]), nil
	case 0:
		hint := r.Known.MeantID(id, "git trace log lists conversations, git trace graph commits")
		if _, err := os.Stat(id); err == nil {
			hint = fmt.Sprintf("git trace log -- %[1]s lists the conversations of that file, git trace blame %[1]s its lines",
				cells.Message(id))
		}
		if len(id) < FewestDigits {
			hint = fmt.Sprintf("an abbreviated id has %d characters or more", FewestDigits)
		}
		return Object{}, exit.Fail(exit.Git, fmt.Errorf("nothing has the id '%s'", id), hint)
	}
	return Object{}, ambiguousID(id, others)
}

func objectOf(c view.Candidate) Object {
	switch c.Kind {
	case view.FoundTrace:
		return Object{Kind: TraceObject, Trace: events.TraceID(c.ID)}
	case view.FoundPatch:
		return Object{Kind: PatchObject, Patch: events.PatchID(c.ID)}
	case view.FoundToolCall:
		return Object{Kind: ToolCallObject, ToolCall: c.ID}
	case view.FoundCommit:
		commit, _ := refs.ParseOID(c.ID)
		return Object{Kind: CommitObject, Commit: commit}
	case view.FoundEvent:
	}
	return Object{Kind: EventObject, Event: c.Event}
}

// SeeObject returns the hint for an object without lines. It does not suggest to show a prompt that its conversation
// does not have.
func SeeObject(name string, o Object) string {
	if o.Prompt > 0 {
		return fmt.Sprintf("git trace show %.8s lists its prompts and calls", o.Trace)
	}
	return "git trace show " + name + " shows what is known of it"
}

// numbered returns the event with a number in this clone's log.
func (r *Resolver) numbered(id, text string) (Object, error) {
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 {
		return Object{}, exit.Fail(exit.Finding, fmt.Errorf("'%s' is not an event number", id), "events are numbered from @1")
	}
	e, ok, err := r.Known.Log().Event(seq)
	if err != nil {
		return Object{}, err
	}
	if !ok {
		return Object{}, exit.Fail(exit.Finding, fmt.Errorf("there is no event %d", seq),
			fmt.Sprintf("the log ends at @%d", r.Known.Log().Last()))
	}
	return Object{Kind: EventObject, Event: e}, nil
}

// Commit lets git resolve a commit in any form of gitrevisions(7).
func (r *Resolver) Commit(ctx context.Context, id string) (commit refs.OID, known bool, err error) {
	if id == "" || id[0] == '-' {
		return refs.OID{}, false, nil
	}
	out, err := r.Repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", id+"^{commit}")
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

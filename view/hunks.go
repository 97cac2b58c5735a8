package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// WholeCall is a tool call of a conversation, with its hunks.
type WholeCall struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Call
	Input json.RawMessage `json:"input,omitempty"` // input from the call's record
	Hunks []*Hunk         `json:"hunks"`
	// Declared is the change that the call declares, for a call that hooks did not see, or whose text is not kept.
	Declared []*Declared `json:"declared,omitempty"`
	// Thought is the last reasoning before the call, of the same answer or an earlier one in the turn.
	Thought string `json:"-"`
}

// Hunk is a patch with its owner.
type Hunk struct {
	Patch      events.PatchID         `json:"patch"`
	Owner      events.OwnerKind       `json:"owner"`
	Trace      events.TraceID         `json:"trace,omitempty"`
	Agent      string                 `json:"agent,omitempty"`
	Session    string                 `json:"session,omitempty"`
	Subagent   string                 `json:"subagent,omitempty"`
	ToolCall   string                 `json:"tool_call,omitempty"`
	Tool       string                 `json:"tool,omitempty"`
	Prompt     int                    `json:"prompt,omitempty"`
	Model      string                 `json:"model,omitempty"`
	Time       time.Time              `json:"time"`
	Path       string                 `json:"path"`
	PathBase64 string                 `json:"path_base64,omitempty"` // path in base64, if it is not UTF-8
	OldPath    string                 `json:"old_path,omitempty"`
	Before     refs.OID               `json:"before,omitzero"`
	After      refs.OID               `json:"after,omitzero"`
	OldStart   int                    `json:"old_start"`
	OldCount   int                    `json:"old_count"`
	NewStart   int                    `json:"new_start"`
	NewCount   int                    `json:"new_count"`
	Mode       string                 `json:"mode,omitempty"`
	Kept       []events.KeptRun       `json:"kept,omitempty"`
	Previous   []events.PatchID       `json:"previous,omitempty"`
	Candidates []events.CandidateData `json:"candidates,omitempty"`
	Limits     []events.Limit         `json:"limits,omitempty"`
	Commits    []CommitLines          `json:"commits"`
	Removed    []string               `json:"removed"` // nil if the text is no longer kept
	Added      []string               `json:"added"`

	// Old and New are the whole contents, if they are kept.
	Old []byte `json:"-"`
	New []byte `json:"-"`
}

// HasText reports whether the text of the change is still kept.
func (h *Hunk) HasText() bool { return h.Added != nil && (h.Removed != nil || h.NewCount > 0) }

// Call finds a tool call in the log or in a record; nil if there is none. If two calls have one id, it returns the
// first.
func (r *Reader) Call(ctx context.Context, id string) (*WholeCall, error) {
	named, err := r.log.ToolCall(id)
	if err != nil {
		return nil, err
	}
	said, err := r.called(id)
	if err != nil {
		return nil, err
	}
	for _, c := range said {
		if c.ID == id {
			named = append(named, events.Event{Trace: c.Trace, ToolCall: id})
		}
	}
	for i := range named {
		if slices.ContainsFunc(named[:i], func(e events.Event) bool {
			return e.Trace == named[i].Trace && e.Subagent == named[i].Subagent
		}) {
			continue
		}
		out, err := r.toolCallOf(ctx, &named[i])
		if out != nil || err != nil {
			return out, err
		}
	}
	return nil, nil
}

// toolCallOf finds the tool call of an event in its conversation.
func (r *Reader) toolCallOf(ctx context.Context, e *events.Event) (*WholeCall, error) {
	_, call, _, err := r.CallOf(ctx, e.Trace, e.Subagent, e.ToolCall, 0)
	return call, err
}

// CallOf finds a tool call of a conversation and the prompt that it followed. It also finds the record's step in which
// the agent made the call. If the call is unknown, for example because it has no id, the prompt is the one with the
// given number. An unknown result is nil.
func (r *Reader) CallOf(ctx context.Context, trace events.TraceID, subagent, id string, prompt int) (
	*Turn, *WholeCall, *records.Step, error,
) {
	of, found, err := r.Conversation(trace)
	if err != nil || !found {
		return nil, nil, nil, err
	}
	stored, err := r.Record(ctx, trace)
	if err != nil {
		return nil, nil, nil, err
	}
	talk, err := r.Talk(trace, stored.Record)
	if err != nil {
		return nil, nil, nil, err
	}
	var asked *Turn
	for i := range talk.Turns {
		turn := &talk.Turns[i]
		if turn.Index == prompt && prompt > 0 {
			asked = turn
		}
		for _, c := range turn.Calls {
			if c.ToolCall != id || c.Subagent != subagent || id == "" {
				continue
			}
			call := &WholeCall{Trace: trace, Agent: of.Agent, Session: of.Session, Call: c, Hunks: []*Hunk{}}
			var step *records.Step
			if stored.Record != nil && 0 < c.Step && c.Step <= len(stored.Steps) {
				step = &stored.Steps[c.Step-1]
				call.Input, call.Thought = inputOf(step, id), thoughtBefore(stored.Steps[:c.Step])
			}
			err := r.withHunks(call)
			r.declares(call, step)
			return turn, call, step, err
		}
	}
	return asked, nil, nil, nil
}

// thoughtBefore returns the reasoning of the last step with reasoning, back to the prompt that the last step answers.
// It skips steps of other agents.
func thoughtBefore(steps []records.Step) string {
	last := &steps[len(steps)-1]
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		switch {
		case callType(s) != callType(last): // a step of the agent that started it, or that it started
		case s.Role == records.RoleUser:
			return ""
		case s.Role != records.RoleAgent, records.Value(s.AgentRole) != records.Value(last.AgentRole):
		case strings.TrimSpace(records.Value(s.ReasoningContent)) != "":
			return *s.ReasoningContent
		}
	}
	return ""
}

// callType returns the kind of agent that made a step.
func callType(s *records.Step) records.CallType {
	if s.CallType == nil {
		return records.CallMain
	}
	return *s.CallType
}

// inputOf returns the input of a call of a step; nil if it is not JSON.
func inputOf(step *records.Step, id string) json.RawMessage {
	for i := range step.ToolCalls {
		if c := &step.ToolCalls[i]; c.ToolCallID == id && json.Valid(c.Input) {
			return c.Input
		}
	}
	return nil
}

// `Heard` reports whether hooks saw a call of a conversation.
func (r *Reader) Heard(trace events.TraceID, call string) bool {
	told, err := r.log.ToolCall(call)
	return err == nil && slices.ContainsFunc(told, func(e events.Event) bool {
		return e.Trace == trace && e.Type == events.WindowOpened
	})
}

// StepHunks returns the hunks that the calls of a step wrote.
func (r *Reader) StepHunks(trace events.TraceID, step *records.Step) ([]*Hunk, error) {
	var out []*Hunk
	for i := range step.ToolCalls {
		named, err := r.log.ToolCall(step.ToolCalls[i].ToolCallID)
		if err != nil {
			return nil, err
		}
		call := &WholeCall{Trace: trace}
		call.ToolCall = step.ToolCalls[i].ToolCallID
		for _, e := range named {
			if e.Trace == trace && e.Type == events.PatchRecorded {
				call.Patches = append(call.Patches, events.DataOf[events.PatchData](e).Patch)
			}
		}
		if err := r.withHunks(call); err != nil {
			return nil, err
		}
		out = append(out, call.Hunks...)
	}
	return out, nil
}

// withHunks adds the hunks that a call wrote.
func (r *Reader) withHunks(c *WholeCall) error {
	lines, err := r.Lines()
	if err != nil {
		return err
	}
	held, err := lines.Anchors(c.Trace, func(o *events.AnchorOwner) bool { return o.ToolCall == c.ToolCall })
	if err != nil {
		return err
	}
	return r.addHunks(c, held)
}

// addHunks adds the hunks that a call wrote; the parameter `held` are lines that include the lines of the call.
func (r *Reader) addHunks(c *WholeCall, held []Anchored) error {
	for _, id := range c.Patches {
		e, found, err := r.log.Patch(id)
		if err != nil {
			return err
		}
		if found {
			c.Hunks = append(c.Hunks, r.hunk(e, held))
		}
	}
	return nil
}

// Hunk returns a patch of the log, with the text if it is still there.
func (r *Reader) Hunk(id events.PatchID) (*Hunk, error) {
	e, found, err := r.log.Patch(id)
	if err == nil && !found {
		err = fmt.Errorf("patch %s: %w", id, refs.ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	held, err := lines.Anchors(e.Trace, func(o *events.AnchorOwner) bool { return o.Patch == id })
	if err != nil {
		return nil, err
	}
	return r.hunk(e, held), nil
}

// hunk returns the patch of an event. The parameter `held` has the runs of its lines in commits, and possibly others.
func (r *Reader) hunk(e events.Event, held []Anchored) *Hunk {
	d := events.DataOf[events.PatchData](e)
	path := events.RawPath(d.Path)
	var own []Anchored
	for _, a := range held {
		if a.Owner.Patch == d.Patch {
			own = append(own, a)
		}
	}
	before, after := r.content(d.Before), r.content(d.After)
	return &Hunk{
		Patch: d.Patch, Owner: d.Owner, Trace: e.Trace, Agent: e.Agent, Session: e.Session, Subagent: e.Subagent,
		ToolCall: e.ToolCall, Tool: d.Tool, Prompt: d.Prompt, Model: SharedModel(d.Model), Time: e.Time, Path: path,
		PathBase64: events.EncodeBytes(path), OldPath: events.RawPath(d.OldPath), Before: d.Before, After: d.After,
		OldStart: d.OldStart, OldCount: d.OldCount, NewStart: d.NewStart, NewCount: d.NewCount, Mode: d.Mode, Kept: d.Kept,
		Previous: d.Previous, Candidates: d.Candidates, Limits: e.Limits, Commits: SumCommits(own),
		Removed: linesOf(before, d.OldStart, d.OldCount), Added: linesOf(after, d.NewStart, d.NewCount),
		Old: before, New: after,
	}
}

// content reads a blob; nil if it is no longer there. It keeps the last two contents, because the hunks of one file
// follow each other.
func (r *Reader) content(blob refs.OID) []byte {
	for i := range r.contents {
		if r.contents[i].raw != nil && r.contents[i].blob == blob {
			return r.contents[i].raw
		}
	}
	raw, err := r.objects.Blob(blob)
	if err != nil {
		return nil
	}
	r.contents[0], r.contents[1] = r.contents[1], content{blob, raw}
	return raw
}

// content is a blob that was read.
type content struct {
	blob refs.OID
	raw  []byte
}

// linesOf returns lines of a content; nil if it is missing, or does not have these lines.
func linesOf(raw []byte, start, count int) []string {
	if count <= 0 {
		return []string{}
	}
	if raw == nil || start < 1 {
		return nil
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	if start-1+count > len(lines) {
		return nil
	}
	out := make([]string, 0, count)
	for _, line := range lines[start-1 : start-1+count] {
		out = append(out, strings.TrimSuffix(string(line), "\n"))
	}
	return out
}

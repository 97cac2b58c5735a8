package ccpa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/jsonl"
)

// maxLine is the greatest length of a line, in bytes.
const maxLine = 256 << 20

// Read yields the traces of a file in order; each session_start begins a new trace. It stops at the first fault and
// returns its line.
func Read(r io.Reader, yield func(line int, record *records.Record) error) error {
	in := jsonl.NewReader(r, maxLine)
	var b *builder
	var first jsonl.Fault
	end := func() error {
		if b == nil {
			return nil
		}
		record, err := b.record()
		if err != nil {
			return &jsonl.Fault{Line: first.Line, Offset: first.Offset, Err: err}
		}
		return yield(first.Line, record)
	}
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return end()
		}
		if err != nil {
			return err
		}
		l, err := decode(raw)
		if err != nil {
			return in.Fault(err)
		}
		if l.kind == SessionStart {
			if err := end(); err != nil {
				return err
			}
			b, first = newBuilder(l), jsonl.Fault{Line: in.Line(), Offset: in.Offset()}
		}
		if b == nil {
			return in.Fault(fmt.Errorf("%w: a trace begins with session_start", ErrOrder))
		}
		if err := b.take(l); err != nil {
			return in.Fault(err)
		}
	}
}

// layout is the data of a trace that is kept in metadata.ccpa.
type layout struct {
	VFirst bool    `json:"v_first,omitempty"`
	Lines  []place `json:"lines"`
}

// place refers to the source of one line: a step or a result; if neither reproduces the line, place has the line
// itself.
type place struct {
	Step        int             `json:"step,omitempty"`
	Call        string          `json:"call,omitempty"`
	Turn        *int            `json:"turn,omitempty"`
	Stop        string          `json:"stop_reason,omitempty"`
	SideEffects json.RawMessage `json:"side_effects,omitempty"`
	Line        json.RawMessage `json:"line,omitempty"`
	Text        string          `json:"text,omitempty"` // the line, if it has spaces between its members
}

// builder makes a record from the lines of one trace.
type builder struct {
	r      *records.Record
	layout layout
	calls  map[string]int // index of the step of each call
	skills []any
	hooks  []records.HookRun
	raws   [][]byte // the lines, with the indices of the layout
}

func newBuilder(start *line) *builder {
	agent := start.actor
	if agent == "" {
		agent = "claude-code"
	}
	b := &builder{calls: map[string]int{}, layout: layout{VFirst: start.vFirst}, r: &records.Record{
		SchemaVersion: records.SchemaVersion,
		SessionID:     start.sessionID,
		TraceID:       string(events.NewTraceID(agent, start.sessionID)),
		Agent:         records.Agent{Name: agent, Model: records.Text(assemble.Model(start.model))},
		Lifecycle:     records.Provisional,
		Outcome:       records.Outcome{SignalSource: records.SourceDeterministic, SignalConfidence: records.SignalInferred},
	}}
	b.r.TimestampStart = records.Text(start.ts)
	b.r.Task.BaseCommit = records.Text(start.commit)
	return b
}

func (b *builder) take(l *line) error {
	p := place{}
	if l.turn >= 0 {
		p.Turn = &l.turn
	}
	switch l.kind {
	case UserPrompt:
		s, err := b.prompt(l)
		if err != nil {
			return err
		}
		p.Step = s.StepIndex
	case AssistantTurn:
		s, err := b.answer(l)
		if err != nil {
			return err
		}
		p.Step, p.Stop = s.StepIndex, l.stop
	case ToolResult:
		if b.result(l) {
			p.Call, p.SideEffects = l.toolUse, compacted(l.sideEffects)
		}
	case SessionEnd:
		b.finish(l)
	case SkillInvocation:
		b.skills = append(b.skills, map[string]any{"name": l.name, "source": l.source, "after_step": len(b.r.Steps)})
	case HookEvent:
		b.hooks = append(b.hooks, hookRun(l, len(b.r.Steps)))
	case SessionStart:
	}
	b.layout.Lines = append(b.layout.Lines, p)
	b.raws = append(b.raws, append([]byte(nil), l.raw...))
	return nil
}

func (b *builder) prompt(l *line) (*records.Step, error) {
	if b.r.Task.Description == nil && l.text != "" {
		b.r.Task.Description, b.r.Task.Source = new(l.text), new("user_prompt")
	}
	return b.r.AddStep(records.Step{Role: records.RoleUser, CallType: new(records.CallMain), Content: new(l.text)})
}

func (b *builder) answer(l *line) (*records.Step, error) {
	s, err := b.r.AddStep(records.Step{Role: records.RoleAgent, CallType: new(records.CallMain), AgentRole: new("main"),
		Model: b.r.Agent.Model})
	if err != nil {
		return nil, err
	}
	for _, one := range l.blocks {
		switch one.kind {
		case "text":
			s.Content = joined(s.Content, one.text)
		case "thinking":
			s.ReasoningContent = joined(s.ReasoningContent, one.text)
		default:
			if _, twice := b.calls[one.id]; twice {
				continue // the place keeps the line
			}
			b.calls[one.id] = len(b.r.Steps) - 1
			s.ToolCalls = append(s.ToolCalls, records.ToolCall{ToolCallID: one.id, ToolName: one.name, Input: one.input})
			s.Observations = append(s.Observations, records.Observation{SourceCallID: one.id, Error: new(records.ErrorNoResult)})
		}
	}
	return s, nil
}

func joined(before *string, text string) *string {
	if before == nil {
		return &text
	}
	return new(*before + "\n\n" + text)
}

// result joins a result with its call; false if there is no such call, or if the call already has a result.
func (b *builder) result(l *line) bool {
	at, found := b.calls[l.toolUse]
	if !found {
		return false
	}
	list := b.r.Steps[at].Observations
	i := slices.IndexFunc(list, func(o records.Observation) bool { return o.SourceCallID == l.toolUse })
	if o := &list[i]; o.Error != nil && *o.Error == records.ErrorNoResult && o.Content == nil {
		*o = records.Observation{SourceCallID: l.toolUse, Content: new(l.content),
			OutputSummary: new(assemble.Summary(l.content))}
		if !l.ok {
			o.Error = new(failure(l.sideEffects))
		}
		return true
	}
	return false
}

// failure returns the error of a result, from its exit code if there is one.
func failure(sideEffects json.RawMessage) string {
	var effects struct {
		ExitCode int `json:"exit_code"`
	}
	if json.Unmarshal(sideEffects, &effects) == nil && effects.ExitCode != 0 {
		return "exit_code:" + strconv.Itoa(effects.ExitCode)
	}
	return records.ErrorTool
}

func (b *builder) finish(l *line) {
	m := &b.r.Metrics
	m.TotalInputTokens += max(l.tokensIn, 0)
	m.TotalOutputTokens += max(l.tokensOut, 0)
	if l.elapsedMS > 0 {
		m.TotalDurationS = new(records.Float(float64(l.elapsedMS) / 1000))
	}
	switch l.stop {
	case "error":
		b.r.Outcome.TerminalState = new(records.Failed)
	case "interrupt", "interrupted":
		b.r.Outcome.TerminalState = new(records.Interrupted)
	}
}

// record returns the record. It keeps every line that would be written differently.
func (b *builder) record() (*records.Record, error) {
	b.r.Metrics.TotalSteps = len(b.r.Steps)
	for i := range b.layout.Lines {
		p := &b.layout.Lines[i]
		if bytes.Equal(b.layout.line(b.r, p), b.raws[i]) {
			continue
		}
		raw := b.raws[i]
		if bytes.Equal(compacted(raw), raw) {
			*p = place{Line: raw}
		} else {
			*p = place{Text: string(raw)}
		}
	}
	if len(b.skills) > 0 {
		b.r.SetMeta("skill_invocations", b.skills)
	}
	if len(b.hooks) > 0 {
		b.r.SetMeta("hooks", b.hooks)
	}
	b.r.SetMeta(Name, b.layout)
	if faults := b.r.Check(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrValue, strings.Join(faults, "; "))
	}
	return b.r, nil
}

func compacted(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if len(raw) == 0 || json.Compact(&out, raw) != nil {
		return nil
	}
	return out.Bytes()
}

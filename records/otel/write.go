package otel

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
)

// git-trace's own attributes. With deltaAttr, the input of an answer has only the messages since the previous answer.
const (
	deltaAttr = "git_trace.input_since_last_answer"
	errorAttr = "git_trace.error"
)

type attr struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

func textAttr(key, text string) attr { return attr{key, map[string]any{"stringValue": text}} }
func intAttr(key string, n int64) attr {
	return attr{key, map[string]any{"intValue": strconv.FormatInt(n, 10)}}
}

type outSpan struct {
	TraceID    string         `json:"traceId"`
	SpanID     string         `json:"spanId"`
	Parent     string         `json:"parentSpanId,omitempty"`
	Name       string         `json:"name"`
	Kind       int            `json:"kind"`
	Start      string         `json:"startTimeUnixNano"`
	End        string         `json:"endTimeUnixNano"`
	Attributes []attr         `json:"attributes"`
	Status     map[string]any `json:"status"`
}

// The kinds of OTLP spans.
const (
	internalSpan = 1
	clientSpan   = 3
)

// writer writes the spans of a record.
type writer struct {
	record *records.Record
	trace  string
	root   string
	at     time.Time // the time of the last span
	spans  []outSpan
	calls  map[int][]string // spans of a step: its own span, then the spans of its calls
	lines  map[string]*line
}

// A line is the main conversation of a record, or a subagent in it.
type line struct {
	name  string
	own   string           // the id of its span
	at    int              // the index of its span
	since []map[string]any // messages since the last answer
}

// Write writes a conversation as one OTLP document on one line.
func Write(w io.Writer, r *records.Record) error {
	o := &writer{record: r, trace: traceOf(r.TraceID), at: time.Unix(0, 1).UTC(), calls: map[int][]string{},
		lines: map[string]*line{}}
	o.root = o.span("root")
	if r.TimestampStart != nil {
		o.move(r.TimestampStart)
	}
	main := &line{name: r.Agent.Name, own: o.root}
	o.begin(main, "")
	roles := rolesOf(r.Steps)
	for i := range r.Steps {
		s := &r.Steps[i]
		of := main
		if s.CallType != nil && *s.CallType == records.CallSubagent {
			of = o.subagent(parentOf(s), roles[i])
		}
		o.step(s, of)
		o.spans[of.at].End = nanos(o.at)
	}
	o.spans[0].End = nanos(o.at)
	for _, of := range slices.Concat([]*line{main}, slices.Collect(maps.Values(o.lines))) {
		o.rest(of)
	}
	raw, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": []attr{textAttr("service.name", r.Agent.Name)}},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "git-trace"}, "spans": o.spans}},
	}}})
	if err != nil {
		return fmt.Errorf("write spans: %w", err)
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// rest adds the messages after the last answer to the agent's span.
func (o *writer) rest(of *line) {
	if s := &o.spans[of.at]; len(of.since) > 0 {
		s.Attributes = append(s.Attributes, textAttr(deltaAttr, "true"))
		s.add("gen_ai.input.messages", of.since)
	}
}

// `begin` starts the span of an agent.
func (o *writer) begin(of *line, parent string) {
	of.at = len(o.spans)
	o.spans = append(o.spans, outSpan{TraceID: o.trace, SpanID: of.own, Parent: parent, Name: "invoke_agent " + of.name,
		Kind: internalSpan, Start: nanos(o.at), End: nanos(o.at), Status: map[string]any{},
		Attributes: o.common("invoke_agent", of)})
}

// parentOf returns the step that started a subagent; 0 if unknown.
func parentOf(s *records.Step) int {
	if s.ParentStep == nil {
		return 0
	}
	return *s.ParentStep
}

// rolesOf returns the role of the agent for each step; a prompt has the role of the next answer.
func rolesOf(steps []records.Step) []string {
	roles, next := make([]string, len(steps)), map[int]string{}
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		if s.AgentRole != nil {
			next[parentOf(s)] = *s.AgentRole
		}
		roles[i] = cmp.Or(next[parentOf(s)], "subagent")
	}
	return roles
}

// subagent returns the line of a subagent, which is identified by the step that started it and by its role. Its span is
// inside the span of the call that started it; if the step has several calls, inside the span of the step.
func (o *writer) subagent(parent int, role string) *line {
	key := fmt.Sprint("agent ", parent, " ", role)
	if of := o.lines[key]; of != nil {
		return of
	}
	of := &line{name: role, own: o.span(key)}
	around := o.root
	if spans := o.calls[parent]; len(spans) > 0 {
		around = spans[len(spans)-1]
		if len(spans) > 2 {
			around = spans[0]
		}
	}
	o.lines[key] = of
	o.move(nil)
	o.begin(of, around)
	return of
}

// traceOf converts the id of a conversation, usually a UUID, to a trace id of 16 bytes in hex.
func traceOf(id string) string {
	plain := strings.ReplaceAll(id, "-", "")
	if raw, err := hex.DecodeString(plain); err == nil && len(raw) == 16 && strings.Trim(plain, "0") != "" {
		return plain
	}
	sum := sha256.Sum256([]byte(id))
	return hexOf(sum[:], 16)
}

func (o *writer) span(of string) string {
	sum := sha256.Sum256([]byte(o.trace + "\x00" + of))
	return hexOf(sum[:], 8)
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// `move` sets the clock to a time, or forward by a nanosecond. So spans are in the order of their starts.
func (o *writer) move(stamp *string) {
	next := o.at.Add(1)
	if stamp != nil {
		if at, err := time.Parse(time.RFC3339Nano, *stamp); err == nil && at.After(next) && at.Year() < 2200 {
			next = at
		}
	}
	o.at = next
}

func (o *writer) common(operation string, of *line) []attr {
	return []attr{textAttr("gen_ai.operation.name", operation), textAttr("gen_ai.conversation.id", o.record.SessionID),
		textAttr("gen_ai.agent.name", of.name)}
}

func (o *writer) step(s *records.Step, of *line) {
	text := ""
	if s.Content != nil {
		text = *s.Content
	}
	if s.Role != records.RoleAgent {
		of.since = append(of.since, message(string(s.Role), contentPart("text", text)))
		return
	}
	o.move(s.Timestamp)
	var said []map[string]any
	if s.ReasoningContent != nil {
		said = append(said, contentPart("reasoning", *s.ReasoningContent))
	}
	if text != "" {
		said = append(said, contentPart("text", text))
	}
	for i := range s.ToolCalls {
		c := &s.ToolCalls[i]
		said = append(said, map[string]any{"type": "tool_call", "id": c.ToolCallID, "name": c.ToolName, "arguments": c.Input})
	}
	own := o.span("step " + strconv.Itoa(s.StepIndex))
	one := outSpan{TraceID: o.trace, SpanID: own, Parent: of.own, Name: "chat", Kind: clientSpan, Start: nanos(o.at),
		End: nanos(o.at), Status: map[string]any{}, Attributes: append(o.common("chat", of), textAttr(deltaAttr, "true"))}
	if s.StepIndex <= 2 && s.SystemPromptHash != nil && o.record.SystemPrompts[*s.SystemPromptHash] != "" {
		one.add("gen_ai.system_instructions", []any{contentPart("text", o.record.SystemPrompts[*s.SystemPromptHash])})
	}
	one.add("gen_ai.input.messages", of.since)
	one.add("gen_ai.output.messages", []any{message("assistant", said...)})
	if s.Model != nil {
		one.Name = "chat " + *s.Model
		one.Attributes = append(one.Attributes, textAttr("gen_ai.request.model", *s.Model))
	}
	one.tokens(s.TokenUsage)
	o.spans = append(o.spans, one)
	of.since = nil
	o.calls[s.StepIndex] = append(o.calls[s.StepIndex], own)
	for i := range s.ToolCalls {
		o.call(s, &s.ToolCalls[i], of, own)
	}
}

func (s *outSpan) tokens(u records.TokenUsage) {
	for _, bucket := range []struct {
		name string
		n    int64
	}{
		{"gen_ai.usage.input_tokens", u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens},
		{"gen_ai.usage.output_tokens", u.OutputTokens}, {"gen_ai.usage.cache_read.input_tokens", u.CacheReadTokens},
		{"gen_ai.usage.cache_creation.input_tokens", u.CacheWriteTokens},
	} {
		if bucket.n > 0 {
			s.Attributes = append(s.Attributes, intAttr(bucket.name, bucket.n))
		}
	}
}

func (s *outSpan) add(name string, value any) {
	if raw, err := json.Marshal(value); err == nil && string(raw) != "null" {
		s.Attributes = append(s.Attributes, textAttr(name, string(raw)))
	}
}

func contentPart(kind, text string) map[string]any {
	return map[string]any{"type": kind, "content": text}
}

func message(role string, parts ...map[string]any) map[string]any {
	if parts == nil {
		parts = []map[string]any{}
	}
	return map[string]any{"role": role, "parts": parts}
}

// call writes the span of a call.
func (o *writer) call(s *records.Step, c *records.ToolCall, of *line, parent string) {
	o.move(nil)
	one := outSpan{TraceID: o.trace, SpanID: o.span(fmt.Sprint("call ", s.StepIndex, " ", c.ToolCallID)), Parent: parent,
		Name: "execute_tool " + c.ToolName, Kind: internalSpan, Start: nanos(o.at), Status: map[string]any{},
		Attributes: append(o.common("execute_tool", of), textAttr("gen_ai.tool.name", c.ToolName),
			textAttr("gen_ai.tool.call.id", c.ToolCallID), textAttr("gen_ai.tool.call.arguments", string(c.Input)))}
	end := o.at
	if c.DurationMS != nil {
		end = end.Add(time.Duration(min(*c.DurationMS, 1e10)) * time.Millisecond)
	}
	one.End = nanos(end)
	if result := s.Result(c.ToolCallID); result != nil {
		response := map[string]any{"type": "tool_call_response", "id": c.ToolCallID}
		if result.Content != nil {
			one.Attributes = append(one.Attributes, textAttr("gen_ai.tool.call.result", *result.Content))
			response["response"] = *result.Content
			of.since = append(of.since, message("tool", response))
		}
		if result.Error != nil {
			one.Status = map[string]any{"code": 2}
			kind, _, _ := strings.Cut(cmp.Or(*result.Error, records.ErrorTool), ":")
			one.Attributes = append(one.Attributes, textAttr("error.type", kind), textAttr(errorAttr, *result.Error))
		}
	}
	o.spans = append(o.spans, one)
	o.calls[s.StepIndex] = append(o.calls[s.StepIndex], one.SpanID)
}

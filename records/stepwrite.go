package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/git-trace/git-trace/records/rawjson"
)

// Texts replaces the texts of a step while it is written.
type Texts interface {
	// Text returns the replacement of a string; the parameter `member` is the name of the member that has it.
	Text(member, text string) string
	// Input returns the replacement of a call's input, which is JSON without spaces.
	Input(raw []byte) []byte
}

// WriteStep encodes a step with its texts replaced. The only change of the step itself is that nil lists become empty.
func WriteStep(s *Step, texts Texts) ([]byte, error) {
	s.fill()
	room := stepRooms.Get().(*[]byte) // the pool has only values of this type
	w := stepWriter{out: (*room)[:0], texts: texts}
	w.step(s)
	if w.err != nil {
		return nil, w.err
	}
	if cap(w.out) > mostRoom {
		return w.out, nil
	}
	raw := bytes.Clone(w.out)
	*room = w.out
	stepRooms.Put(room)
	return raw, nil
}

// stepRooms lists reusable buffers for steps.
var stepRooms = sync.Pool{New: func() any { return new([]byte) }}

// stepWriter writes a step like encoding/json without HTML escapes, but several times faster.
type stepWriter struct {
	out   []byte
	texts Texts // nil if nothing is replaced
	err   error
}

func (w *stepWriter) step(s *Step) {
	w.name('{', "step_index")
	w.out = strconv.AppendInt(w.out, int64(s.StepIndex), 10)
	w.text("role", string(s.Role))
	w.known("content", s.Content)
	w.known("reasoning_content", s.ReasoningContent)
	w.known("model", s.Model)
	w.known("system_prompt_hash", s.SystemPromptHash)
	w.known("agent_role", s.AgentRole)
	number(w, "parent_step", s.ParentStep)
	w.known("call_type", (*string)(s.CallType))
	w.known("subagent_trajectory_ref", s.SubagentTrajectoryRef)
	array(w, "tools_available", s.ToolsAvailable, func(tool *string) { w.value("tools_available", *tool) })
	array(w, "tool_calls", s.ToolCalls, w.call)
	array(w, "observations", s.Observations, w.observation)
	array(w, "snippets", s.Snippets, w.snippet)
	w.usage("token_usage", &s.TokenUsage)
	w.known("timestamp", s.Timestamp)
	w.out = append(w.out, '}')
}

func (w *stepWriter) call(c *ToolCall) {
	w.first("tool_call_id", c.ToolCallID)
	w.text("tool_name", c.ToolName)
	w.name(',', "input")
	w.input(c.Input)
	number(w, "duration_ms", c.DurationMS)
	w.out = append(w.out, '}')
}

func (w *stepWriter) observation(o *Observation) {
	w.first("source_call_id", o.SourceCallID)
	w.known("content", o.Content)
	w.known("output_summary", o.OutputSummary)
	w.known("error", o.Error)
	w.out = append(w.out, '}')
}

func (w *stepWriter) snippet(s *Snippet) {
	w.first("file_path", s.FilePath)
	number(w, "start_line", s.StartLine)
	number(w, "end_line", s.EndLine)
	w.known("language", s.Language)
	w.known("text", s.Text)
	number(w, "source_step", s.SourceStep)
	w.out = append(w.out, '}')
}

func (w *stepWriter) usage(name string, u *TokenUsage) {
	w.name(',', name)
	w.name('{', "input_tokens")
	w.out = strconv.AppendInt(w.out, u.InputTokens, 10)
	number(w, "output_tokens", &u.OutputTokens)
	number(w, "cache_read_tokens", &u.CacheReadTokens)
	number(w, "cache_write_tokens", &u.CacheWriteTokens)
	number(w, "prefix_reuse_tokens", &u.PrefixReuseTokens)
	w.out = append(w.out, '}')
}

// name writes the name of a member after a brace or a comma.
func (w *stepWriter) name(before byte, name string) {
	w.out = append(append(append(w.out, before, '"'), name...), '"', ':')
}

// `first` writes the first member of an object, which is a text.
func (w *stepWriter) first(name, text string) {
	w.name('{', name)
	w.value(name, text)
}

func (w *stepWriter) text(name, text string) {
	w.name(',', name)
	w.value(name, text)
}

// `known` writes a text, or null for nil.
func (w *stepWriter) known(name string, text *string) {
	w.name(',', name)
	if text == nil {
		w.out = append(w.out, "null"...)
		return
	}
	w.value(name, *text)
}

func number[T int | int64](w *stepWriter, name string, n *T) {
	w.name(',', name)
	if n == nil {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = strconv.AppendInt(w.out, int64(*n), 10)
}

func array[T any](w *stepWriter, name string, list []T, one func(*T)) {
	w.name(',', name)
	w.out = append(w.out, '[')
	for i := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		one(&list[i])
	}
	w.out = append(w.out, ']')
}

// value writes a text, the value of a member.
func (w *stepWriter) value(member, text string) {
	if w.texts != nil {
		text = w.texts.Text(member, text)
	}
	if utf8.ValidString(text) && !strings.Contains(text, "\u2028") && !strings.Contains(text, "\u2029") {
		w.out = rawjson.AppendString(w.out, text)
		return
	}
	raw, err := marshal(text)
	w.out, w.err = append(w.out, raw...), cmp.Or(w.err, err)
}

// input writes the input of a call.
func (w *stepWriter) input(raw []byte) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		w.err = cmp.Or(w.err, err)
		return
	}
	raw = compact.Bytes()
	if w.texts != nil {
		raw = w.texts.Input(raw)
	}
	w.out = append(w.out, raw...)
}

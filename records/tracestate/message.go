package tracestate

import (
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// What stands where the record has no text.
const (
	noResult    = "[no result]"
	compacted   = "[earlier conversation was compacted]"
	notRecorded = "[not recorded]" // a message of the client, or what an answer without a prompt answers
)

// said is what the user's side has said since the last answer: results of its calls, and texts.
type said struct {
	results []records.Observation
	texts   []string
}

func (s *said) empty() bool { return len(s.results) == 0 && len(s.texts) == 0 }

// object writes the members of a JSON object in order.
type object struct{ out []byte }

func (o *object) name(name string) {
	if len(o.out) == 0 {
		o.out = append(o.out, '{')
	} else {
		o.out = append(o.out, ',')
	}
	o.out = append(rawjson.AppendString(o.out, name), ':')
}

func (o *object) text(name, value string) *object {
	o.name(name)
	o.out = rawjson.AppendString(o.out, value)
	return o
}

func (o *object) raw(name, value string) *object {
	o.name(name)
	o.out = append(o.out, value...)
	return o
}

func (o *object) end() string { return string(append(o.out, '}')) }

func list(parts []string) string { return "[" + strings.Join(parts, ",") + "]" }

// user writes what the user's side said, as messages of a dialect.
func (d Dialect) user(s *said) []string {
	text := strings.Join(s.texts, "\n\n")
	var parts []string
	for i := range s.results {
		parts = append(parts, d.result(&s.results[i]))
	}
	switch {
	case d == OpenAI && text != "":
		return append(parts, message("user", quoted(text)))
	case d == OpenAI:
		return parts
	case len(parts) == 0:
		return []string{message("user", quoted(text))}
	case text != "":
		parts = append(parts, (&object{}).text("type", "text").text("text", text).end())
	}
	return []string{message("user", list(parts))}
}

func (d Dialect) result(r *records.Observation) string {
	content := noResult
	if r.Content != nil {
		content = *r.Content
	} else if r.Error == nil {
		content = ""
	}
	if d == OpenAI {
		return (&object{}).text("role", "tool").text("tool_call_id", r.SourceCallID).text("content", content).end()
	}
	o := (&object{}).text("type", "tool_result").text("tool_use_id", r.SourceCallID).text("content", content)
	if r.Error != nil {
		o.raw("is_error", "true")
	}
	return o.end()
}

// assistant writes an answer.
func (d Dialect) assistant(s *records.Step) string {
	text := content(s)
	if len(s.ToolCalls) == 0 {
		return message("assistant", quoted(text))
	}
	var calls []string
	for i := range s.ToolCalls {
		calls = append(calls, d.call(&s.ToolCalls[i]))
	}
	if d == OpenAI {
		o := (&object{}).text("role", "assistant")
		if text == "" {
			o.raw("content", "null")
		} else {
			o.text("content", text)
		}
		return o.raw("tool_calls", list(calls)).end()
	}
	if text != "" {
		calls = append([]string{(&object{}).text("type", "text").text("text", text).end()}, calls...)
	}
	return message("assistant", list(calls))
}

func (d Dialect) call(c *records.ToolCall) string {
	input := "{}"
	if clean, err := rawjson.AppendClean(nil, c.Input); err == nil { // on one line
		input = string(clean)
	}
	if d == OpenAI {
		function := (&object{}).text("name", c.ToolName).text("arguments", input).end()
		return (&object{}).text("id", c.ToolCallID).text("type", "function").raw("function", function).end()
	}
	return (&object{}).text("type", "tool_use").text("id", c.ToolCallID).text("name", c.ToolName).raw("input", input).end()
}

func message(role, content string) string {
	return (&object{}).text("role", role).raw("content", content).end()
}

func quoted(text string) string { return string(rawjson.AppendString(nil, text)) }

// content is what a step says.
func content(s *records.Step) string {
	if s.Content == nil {
		return ""
	}
	return *s.Content
}

// action is what an answer did, as Python's json.dumps writes it: its calls, each with input and name; without calls
// its text.
func action(s *records.Step) string {
	if len(s.ToolCalls) == 0 {
		return content(s)
	}
	var calls []string
	for i := range s.ToolCalls {
		c := &s.ToolCalls[i]
		calls = append(calls, (&object{}).text("name", c.ToolName).raw("input", string(c.Input)).end())
	}
	out, err := rawjson.AppendCanonical(nil, []byte(list(calls)))
	if err != nil {
		return list(calls) // an input that is no JSON: Check refuses such a record
	}
	return string(out)
}

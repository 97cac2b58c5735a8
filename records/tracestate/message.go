package tracestate

import (
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// These texts replace texts that the record lacks.
const (
	noResult    = "[no result]"
	compacted   = "[earlier conversation was compacted]"
	notRecorded = "[not recorded]" // a message of the client, or the prompt of an answer that has none
)

// said holds the messages of the user's side since the last answer: results of the answer's calls, and texts.
type said struct {
	results []records.Observation
	texts   []string
}

func (s *said) empty() bool { return len(s.results) == 0 && len(s.texts) == 0 }

func list(parts []string) string { return "[" + strings.Join(parts, ",") + "]" }

// user writes the messages of the user's side in a dialect.
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
		parts = append(parts, (&rawjson.Members{}).Text("type", "text").Text("text", text).String())
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
		return (&rawjson.Members{}).Text("role", "tool").
			Text("tool_call_id", r.SourceCallID).Text("content", content).String()
	}
	o := (&rawjson.Members{}).Text("type", "tool_result").Text("tool_use_id", r.SourceCallID).Text("content", content)
	if r.Error != nil {
		o.Flag("is_error", true)
	}
	return o.String()
}

// assistant writes an answer, without thinking if `thought` is "".
func (d Dialect) assistant(s *records.Step, thought string) string {
	text := content(s)
	if len(s.ToolCalls) == 0 && thought == "" {
		return message("assistant", quoted(text))
	}
	var calls []string
	for i := range s.ToolCalls {
		calls = append(calls, d.call(&s.ToolCalls[i]))
	}
	if d == OpenAI {
		o := (&rawjson.Members{}).Text("role", "assistant")
		if text == "" {
			o.Raw("content", []byte("null"))
		} else {
			o.Text("content", text)
		}
		if thought != "" {
			o.Text("reasoning_content", thought)
		}
		if len(calls) > 0 {
			o.Raw("tool_calls", []byte(list(calls)))
		}
		return o.String()
	}
	if text != "" {
		calls = append([]string{(&rawjson.Members{}).Text("type", "text").Text("text", text).String()}, calls...)
	}
	if thought != "" {
		calls = append([]string{(&rawjson.Members{}).Text("type", "thinking").Text("thinking", thought).String()}, calls...)
	}
	return message("assistant", list(calls))
}

func (d Dialect) call(c *records.ToolCall) string {
	input := "{}"
	if clean, err := rawjson.AppendClean(nil, c.Input); err == nil { // on one line
		input = string(clean)
	}
	if d == OpenAI {
		function := (&rawjson.Members{}).Text("name", c.ToolName).Text("arguments", input).String()
		return (&rawjson.Members{}).Text("id", c.ToolCallID).Text("type", "function").
			Raw("function", []byte(function)).String()
	}
	return (&rawjson.Members{}).Text("type", "tool_use").
		Text("id", c.ToolCallID).Text("name", c.ToolName).Raw("input", []byte(input)).String()
}

func message(role, content string) string {
	return (&rawjson.Members{}).Text("role", role).Raw("content", []byte(content)).String()
}

func quoted(text string) string { return string(rawjson.AppendString(nil, text)) }

// content returns the text of a step.
func content(s *records.Step) string {
	if s.Content == nil {
		return ""
	}
	return *s.Content
}

// action returns the action of an answer in the form of Python's json.dumps: its calls, each with input and name; or
// its text if there are no calls.
func action(s *records.Step) string {
	if len(s.ToolCalls) == 0 {
		return content(s)
	}
	var calls []string
	for i := range s.ToolCalls {
		c := &s.ToolCalls[i]
		calls = append(calls, (&rawjson.Members{}).Text("name", c.ToolName).Raw("input", c.Input).String())
	}
	out, err := rawjson.AppendCanonical(nil, []byte(list(calls)))
	if err != nil {
		return list(calls) // an input that is not JSON; Check rejects such a record
	}
	return string(out)
}

package messages

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Message is one message of a list, in the form of OpenAI or Anthropic.
type Message struct {
	Role, Text, Thinking string
	ID, Time, Model      string // members of the message, if it has them
	CallID               string // the call whose result the message is
	Stop                 string
	Calls                []assemble.Call
	Results              []Result // results in the message
}

// Result is a result in a message.
type Result struct {
	ID string
	assemble.Result
}

// Parse decodes a message.
func Parse(raw []byte) Message {
	var m Message
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "timestamp":
			if text := d.Text(); clock(text) {
				m.Time = text
			}
		case "content":
			m.content(d.Raw())
		case "reasoning_content", "reasoning", "thinking":
			m.think(d.Text())
		case "thinking_blocks":
			for d.OpenArray(); d.Element(); {
				m.think(rawjson.MemberText(d.Raw(), "thinking"))
			}
		case "refusal":
			if text := d.Text(); text != "" {
				m.Text, m.Stop = join(m.Text, text), "refusal"
			}
		case "tool_call_ids":
			for d.OpenArray(); d.Element(); {
				if id := d.Text(); m.CallID == "" {
					m.CallID = id
				}
			}
		case "tool_calls":
			for d.OpenArray(); d.Element(); {
				m.call(d.Raw())
			}
		case "toolCalls": // of Cursor, in the form of cursor-history's export
			for d.OpenArray(); d.Element(); {
				m.exported(d.Raw())
			}
		case "function_call":
			if call := d.Raw(); rawjson.NewDecoder(call).Kind() == rawjson.Object {
				m.function("", call)
			}
		default:
			d.Take("role", &m.Role, "id", &m.ID, "model", &m.Model, "tool_call_id", &m.CallID)
		}
	}
	return m
}

func clock(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil
}

func (m *Message) think(text string) { m.Thinking = join(m.Thinking, text) }

func join(before, text string) string {
	if before == "" || text == "" {
		return before + text
	}
	return before + "\n\n" + text
}

func (m *Message) call(raw []byte) {
	function := rawjson.Member(raw, "function")
	if function == nil {
		function = raw
	}
	m.function(rawjson.MemberText(raw, "id"), function)
}

func (m *Message) function(id string, raw []byte) {
	input, _ := foreign.Arguments(rawjson.Member(raw, "arguments"))
	m.Calls = append(m.Calls, assemble.Call{ID: id, Name: rawjson.MemberText(raw, "name"), Input: input})
}

// `exported` adds a call with its result, if there is one.
func (m *Message) exported(raw []byte) {
	params := rawjson.Member(raw, "params")
	if params == nil {
		params = rawjson.Member(raw, "args")
	}
	input, _ := foreign.Arguments(params)
	id := cmp.Or(rawjson.MemberText(raw, "id"), fmt.Sprintf("%s_%d", cmp.Or(m.ID, "call"), len(m.Calls)+1))
	m.Calls = append(m.Calls, assemble.Call{ID: id, Name: rawjson.MemberText(raw, "name"), Input: input})
	var r assemble.Result
	switch rawjson.MemberText(raw, "status") {
	case "completed":
		r.Content = new(rawjson.MemberText(raw, "result"))
	case "cancelled":
		r.Error = records.ErrorInterrupted
	case "error":
		r.Error, r.Content = records.ErrorTool, new(rawjson.MemberText(raw, "error"))
	default: // the outcome is unknown
		return
	}
	m.Results = append(m.Results, Result{ID: id, Result: r})
}

// content adds a text, or the parts of a content list.
func (m *Message) content(raw []byte) {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Array {
		m.Text = join(m.Text, d.Text())
		return
	}
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch kind := rawjson.MemberText(part, "type"); kind {
		case "text", "input_text", "output_text":
			m.Text = join(m.Text, rawjson.MemberText(part, "text"))
		case "thinking":
			m.think(rawjson.MemberText(part, "thinking"))
		case "refusal":
			m.Text, m.Stop = join(m.Text, rawjson.MemberText(part, "refusal")), "refusal"
		case "tool_use":
			input, _ := foreign.Arguments(rawjson.Member(part, "input"))
			m.Calls = append(m.Calls, assemble.Call{ID: rawjson.MemberText(part, "id"),
				Name: rawjson.MemberText(part, "name"), Input: input})
		case "tool_result":
			inner := Message{}
			inner.content(rawjson.Member(part, "content"))
			r := Result{ID: rawjson.MemberText(part, "tool_use_id"), Result: assemble.Result{Content: &inner.Text}}
			if string(rawjson.Member(part, "is_error")) == "true" {
				r.Error = records.ErrorTool
			}
			m.Results = append(m.Results, r)
		case "":
			e := rawjson.NewDecoder(part)
			m.Text = join(m.Text, e.Text())
		default:
			m.Text = join(m.Text, fmt.Sprintf("[%.20s]", strings.TrimSuffix(kind, "_url")))
		}
	}
}

// Usage returns the tokens of an answer, from the members of OpenAI, whose prompt tokens include the cache, or of
// Anthropic, whose input tokens do not.
func Usage(t *foreign.Talk, raw []byte) *assemble.Usage {
	var input, output, read, written int64
	without := false
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "input_tokens":
			input, without = d.Int(), true
		case "prompt_tokens_details", "input_tokens_details":
			if details := d.Raw(); len(details) > 0 {
				if cached := rawjson.MemberInt(details, "cached_tokens"); cached > 0 {
					read, without = max(read, cached), false
				}
			}
		case "cache_read_input_tokens":
			read = max(read, d.Int())
		default:
			d.Take("prompt_tokens", &input, "completion_tokens", &output, "output_tokens", &output,
				"cache_creation_input_tokens", &written)
		}
	}
	if without {
		input += read + written
	}
	return t.Usage(input, output, read, written)
}

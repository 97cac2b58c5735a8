package otel

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/rawjson"
)

// key identifies a message: an answer by its calls, results by their calls, any other message by its text.
func key(m *messages.Message) string {
	switch {
	case len(m.Calls) > 0:
		out := "calls"
		for i := range m.Calls {
			out += "\x00" + m.Calls[i].ID + "\x00" + m.Calls[i].Name
			if m.Calls[i].ID == "" {
				out += string(m.Calls[i].Input)
			}
		}
		return out
	case len(m.Results) > 0:
		out := "results"
		for _, r := range m.Results {
			out += "\x00" + r.ID
		}
		return out
	}
	return m.Role + "\x00" + strings.TrimSpace(m.Text)
}

// inputs returns the messages that a model received.
func inputs(s *span) []messages.Message {
	if list := parts(s.json("gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages")); len(list) > 0 {
		return list
	}
	return flattened(s, "llm.input_messages.")
}

// outputs returns the span's output messages, joined into one.
func outputs(s *span) (out messages.Message, found bool) {
	list := parts(s.json("gen_ai.output.messages", "gen_ai.completion"))
	if len(list) == 0 {
		list = flattened(s, "llm.output_messages.")
	}
	for _, m := range list {
		out.Text += m.Text
		out.Thinking += m.Thinking
		out.Calls = append(out.Calls, m.Calls...)
	}
	out.Role, found = "assistant", len(list) > 0
	if found {
		return out, true
	}
	out.Text = s.text("ai.response.text")
	calls := rawjson.NewDecoder(s.json("ai.response.toolCalls"))
	for calls.OpenArray(); calls.Element(); {
		out.Calls = append(out.Calls, callOf(calls.Raw()))
	}
	return out, out.Text != "" || len(out.Calls) > 0
}

// parts reads messages in the form of GenAI or Vercel: a list, or a single message.
func parts(raw []byte) []messages.Message {
	d := rawjson.NewDecoder(raw)
	switch d.Kind() {
	case rawjson.Object:
		return []messages.Message{part(raw)}
	case rawjson.Array:
	default:
		return nil
	}
	var out []messages.Message
	for d.OpenArray(); d.Element(); {
		out = append(out, part(d.Raw()))
	}
	return out
}

func part(raw []byte) messages.Message {
	m := messages.Message{Role: rawjson.MemberText(raw, "role"), Text: rawjson.MemberText(raw, "text")}
	list := first(raw, "parts", "content")
	d := rawjson.NewDecoder(list)
	if d.Kind() != rawjson.Array {
		if list != nil {
			return messages.Parse(raw)
		}
		return m
	}
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		switch kind := rawjson.MemberText(one, "type"); kind {
		case "text":
			m.Text += rawjson.Unquote(first(one, "content", "text"))
		case "reasoning", "thinking":
			m.Thinking += rawjson.Unquote(first(one, "content", "text"))
		case "tool_call", "tool-call", "server_tool_call":
			m.Calls = append(m.Calls, callOf(one))
		case "tool_call_response", "tool-result", "server_tool_call_response":
			m.Results = append(m.Results, messages.Result{ID: rawjson.Unquote(first(one, "id", "toolCallId")),
				Result: assemble.Result{Content: new(said(first(one, "response", "result", "output")))}})
		case "":
		default:
			m.Text += fmt.Sprintf("[%.20s]", kind)
		}
	}
	return m
}

func callOf(raw []byte) assemble.Call {
	input, _ := foreign.Arguments(first(raw, "arguments", "input", "args"))
	return assemble.Call{ID: rawjson.Unquote(first(raw, "id", "toolCallId")),
		Name: rawjson.Unquote(first(raw, "name", "toolName")), Input: input}
}

// `said` returns a result as text: a text unchanged, any other value as JSON.
func said(raw []byte) string {
	d := rawjson.NewDecoder(raw)
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	inner := first(raw, "value")
	if d.Kind() == rawjson.Object && rawjson.MemberText(raw, "type") == "text" && inner != nil {
		return rawjson.Unquote(inner)
	}
	return string(raw)
}

// `flattened` reads messages in the form of OpenInference, which has an attribute for each member: "0.message.role".
func flattened(s *span, prefix string) []messages.Message {
	var out []messages.Message
	for n := 0; n < records.MaxSteps; n++ {
		at := fmt.Sprintf("%s%d.message.", prefix, n)
		m := messages.Message{Role: s.text(at + "role"), Text: s.text(at + "content")}
		if m.Role == "" && m.Text == "" {
			break
		}
		for i := 0; ; i++ {
			content := fmt.Sprintf("%scontents.%d.message_content.", at, i)
			kind := s.text(content + "type")
			if kind == "" {
				break
			}
			if text := s.text(content + "text"); text != "" {
				m.Text += text
			} else {
				m.Text += fmt.Sprintf("[%.20s]", kind)
			}
		}
		for i := 0; ; i++ {
			call := fmt.Sprintf("%stool_calls.%d.tool_call.", at, i)
			name := s.text(call + "function.name")
			if name == "" {
				break
			}
			input, _ := foreign.Arguments(s.attrs[call+"function.arguments"])
			m.Calls = append(m.Calls, assemble.Call{ID: s.text(call + "id"), Name: name, Input: input})
		}
		if id := s.text(at + "tool_call_id"); m.Role == "tool" {
			text := m.Text
			m.Results = []messages.Result{{ID: id, Result: assemble.Result{Content: &text}}}
		}
		out = append(out, m)
	}
	return out
}

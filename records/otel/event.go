package otel

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records/rawjson"
)

// clients lists the prefixes of log events whose members are known: Claude Code, Codex, Gemini CLI, Qwen Code.
var clients = [...]string{"claude_code.", "codex.", "gemini_cli.", "qwen-code."}

// event returns the name of a log event without the client's prefix; "" for an event that does not concern a
// conversation.
func (s *span) event() string {
	for _, client := range clients {
		switch name, is := strings.CutPrefix(s.name, client); {
		case !is:
		case name == "sse_event" && s.text("event.kind") != "response.completed":
		case slices.Contains([]string{"user_prompt", "assistant_response", "api_request", "api_response", "sse_event",
			"tool_result", "tool_call"}, name):
			return name
		}
	}
	return ""
}

// eventOf reads a log record as a span without duration. Codex has the time in an attribute.
func eventOf(raw []byte) *span {
	s := &span{attrs: attributes(rawjson.Member(raw, "attributes"))}
	s.name = s.text("event.name")
	if body := rawjson.Unquote(value(first(raw, "body"), 0)); s.event() == "" && body != "" {
		s.name = body // Claude Code has the prefixed name only there
	}
	for _, at := range [][]byte{first(raw, "timeUnixNano", "time_unix_nano"), s.attrs["event.timestamp"],
		first(raw, "observedTimeUnixNano", "observed_time_unix_nano")} {
		if s.start = moment(at); s.start.Unix() > 0 {
			break
		}
	}
	s.end = s.start
	return s
}

// reply is an answer that several events report.
type reply struct {
	*span
	text  string
	calls []*span
}

// eventLog replaces log events with spans.
type eventLog struct {
	out     []*span
	replies map[string]*reply // replies by the id of the request
	last    map[string]*reply // last reply of each agent; "" is the main agent
	open    []*span           // calls whose end is not reported yet
	root    *span             // the span around the agents
	agents  map[string]*span
	order   []*reply
}

// spansOfEvents replaces the log events in a list of spans with spans of prompts, answers and calls. Clients report a
// call only when it has ended.
func spansOfEvents(list []*span) []*span {
	if !slices.ContainsFunc(list, func(s *span) bool { return s.event() != "" }) {
		return list
	}
	slices.SortStableFunc(list, func(a, b *span) int { return a.start.Compare(b.start) })
	told := map[string]bool{} // services whose events report answers: their spans have the same answers with less text
	for _, s := range list {
		switch s.event() {
		case "assistant_response", "api_response", "sse_event":
			told[s.service] = s.service != ""
		}
	}
	e := &eventLog{replies: map[string]*reply{}, last: map[string]*reply{}, agents: map[string]*span{}}
	for _, s := range list {
		switch took := max(0, s.number("duration_ms")); s.event() {
		case "user_prompt":
			if text := s.text("prompt"); text != "" && !hidden(text) {
				s.asks = true
				e.out = append(e.out, s)
			}
		case "assistant_response":
			if r := e.reply(s); !hidden(s.text("response")) {
				r.text += s.text("response")
			}
		case "api_request", "api_response", "sse_event":
			e.answered(s, took)
		case "tool_result", "tool_call":
			e.called(s, took)
		default:
			if s.text("event.name") == "" && !told[s.service] { // a span, not another event
				e.out = append(e.out, s)
			}
		}
	}
	for _, r := range e.order {
		r.tell()
	}
	return e.out
}

// `hidden` reports whether a text was withheld by the client.
func hidden(text string) bool { return text == "<REDACTED>" || text == "[REDACTED]" }

// `answered` handles the event at the end of a request: it has the model and the tokens. Claude Code counts cached
// tokens separately.
func (e *eventLog) answered(s *span, took int64) {
	if name := s.event(); name == "api_request" && !strings.HasPrefix(s.name, clients[0]) ||
		name == "sse_event" && s.attrs["input_token_count"] == nil { // the event at the start, or a second event at the end
		return
	}
	if role := s.text("role"); role != "" && role != "main" { // a request for a summary or for the choice of a model
		return
	}
	r := e.reply(s)
	r.start = s.start.Add(-time.Duration(min(took, 1e9)) * time.Millisecond)
	r.untold = s.event() == "sse_event"
	read, wrote := s.number("cache_read_tokens", "cached_token_count", "cached_content_token_count"),
		s.number("cache_creation_tokens")
	input := s.number("input_token_count")
	if input == 0 {
		input = s.number("input_tokens") + read + wrote
	}
	for name, n := range map[string]int64{"gen_ai.usage.input_tokens": input,
		"gen_ai.usage.output_tokens": s.number("output_tokens", "output_token_count") +
			s.number("thoughts_token_count"),
		"gen_ai.usage.cache_read.input_tokens": read, "gen_ai.usage.cache_creation.input_tokens": wrote} {
		r.attrs[name] = fmt.Append(nil, n)
	}
	r.attrs["gen_ai.response.model"], r.attrs["llm.cost.total"] = s.attrs["model"], s.attrs["cost_usd"]
	raw := s.json("response_text")
	chunks, words := rawjson.NewDecoder(raw), cmp.Or(s.text("response_text"), string(raw))
	for chunks.OpenArray(); chunks.Element(); {
		list := rawjson.Member(chunks.Raw(), "candidates")
		if list != nil {
			words = ""
		}
		candidates := rawjson.NewDecoder(list)
		if candidates.OpenArray(); candidates.Element() {
			parts := rawjson.NewDecoder(rawjson.Member(rawjson.Member(candidates.Raw(), "content"), "parts"))
			for parts.OpenArray(); parts.Element(); {
				e.part(r, parts.Raw())
			}
		}
	}
	r.text += words // Qwen Code sends no other event
}

// part adds a part of an answer in Google's form.
func (e *eventLog) part(r *reply, raw []byte) {
	if string(rawjson.Member(raw, "thought")) != "true" {
		r.text += rawjson.MemberText(raw, "text")
	}
	if call := rawjson.Member(raw, "functionCall"); call != nil {
		one := r.call(cmp.Or(rawjson.MemberText(call, "id"), fmt.Sprintf("call_%d_%d", len(e.order), len(r.calls))),
			rawjson.MemberText(call, "name"), first(call, "args"))
		e.open = append(e.open, one)
	}
}

// `called` handles the event at the end of a call.
func (e *eventLog) called(s *span, took int64) {
	id, name := s.text("tool_use_id", "call_id"), s.text("tool_name", "function_name")
	at := slices.IndexFunc(e.open, func(c *span) bool { return id == "" && c.tool() == name })
	var call *span
	if at >= 0 {
		call = e.open[at]
		e.open = slices.Delete(e.open, at, at+1)
	} else {
		r := e.reply(s)
		call = r.call(cmp.Or(id, fmt.Sprintf("event_%d_%d", len(e.order), len(r.calls))), name,
			s.raw("tool_input", "function_args", "arguments"))
	}
	call.end = s.start
	call.start = s.start.Add(-time.Duration(min(took, 1e9)) * time.Millisecond)
	call.failed = string(s.attrs["success"]) == "false" || s.text("success") == "false"
	call.attrs[errorAttr], call.attrs["gen_ai.tool.call.result"] = s.attrs["error.type"], s.attrs["output"]
	if raw := s.attrs["error"]; call.failed && raw != nil && s.attrs["output"] == nil {
		call.attrs["gen_ai.tool.call.result"] = raw
	}
	e.out = append(e.out, call)
}

func quoted(text string) []byte { return rawjson.AppendString(nil, text) }

// number returns the first of several attributes that is a number above 0, or a text with such a number.
func (s *span) number(names ...string) int64 {
	for _, name := range names {
		if n, err := strconv.ParseInt(s.text(name), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return s.int(names...)
}

// reply returns the answer that an event belongs to: by the request id, else the agent's last answer. If an event at
// the end of a request has no id, it starts a new answer.
func (e *eventLog) reply(s *span) *reply {
	agent, request := s.text("agent_id"), s.text("request_id")
	r := e.replies[request]
	if request == "" {
		r = e.last[agent]
		if ended := s.event(); ended == "sse_event" || ended == "api_response" || ended == "api_request" {
			r = nil
		}
	}
	if r == nil {
		r = &reply{span: &span{id: fmt.Sprintf("event-%d", len(e.order)), from: s.from, service: s.service,
			start: s.start, end: s.start, attrs: map[string][]byte{"gen_ai.operation.name": []byte(`"chat"`)}}}
		e.order, e.out, e.replies[request] = append(e.order, r), append(e.out, r.span), r
		r.parent = e.within(agent, s)
	}
	e.last[agent] = r
	if named := e.agents[agent]; named != nil && s.text("agent.name") != "" {
		named.attrs["gen_ai.agent.name"] = s.attrs["agent.name"]
	}
	r.end = s.start
	return r
}

// `within` returns the id of the span of an agent. If the client does not report the agent, within makes the span,
// inside a span of the conversation.
func (e *eventLog) within(agent string, s *span) string {
	if agent == "" {
		return ""
	}
	around := func(id, parent, name string) *span {
		one := &span{id: id, parent: parent, from: s.from, service: s.service, start: s.start, end: s.start,
			attrs: map[string][]byte{"gen_ai.operation.name": []byte(`"invoke_agent"`),
				"gen_ai.agent.name": quoted(name)}}
		e.out = append(e.out, one)
		return one
	}
	if e.root == nil {
		e.root = around("event-root", "", s.service)
	}
	if e.agents[agent] == nil && len(e.agents) < maxAgents {
		e.agents[agent] = around("event-agent-"+agent, e.root.id, agent)
	}
	return "event-agent-" + agent
}

// call adds a call to an answer.
func (r *reply) call(id, name string, input []byte) *span {
	one := &span{id: "call-" + id, parent: r.parent, from: r.from, service: r.service, attrs: map[string][]byte{
		"gen_ai.operation.name": []byte(`"execute_tool"`), "gen_ai.tool.call.id": quoted(id),
		"gen_ai.tool.name": quoted(name), "gen_ai.tool.call.arguments": input}}
	r.calls = append(r.calls, one)
	return one
}

// tell adds the text and the calls of an answer to its span.
func (r *reply) tell() {
	if r.text == "" && len(r.calls) == 0 {
		return
	}
	var text rawjson.Members
	out := append([]byte(`[{"role":"assistant","parts":[`), text.Text("type", "text").Text("content", r.text).End()...)
	for _, call := range r.calls {
		var one rawjson.Members
		one.Text("type", "tool_call").Raw("id", call.attrs["gen_ai.tool.call.id"])
		one.Raw("name", call.attrs["gen_ai.tool.name"])
		if input := call.attrs["gen_ai.tool.call.arguments"]; input != nil {
			one.Raw("arguments", input)
		}
		out = append(append(out, ','), one.End()...)
	}
	r.attrs["gen_ai.output.messages"] = append(out, `]}]`...)
}

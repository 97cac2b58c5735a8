package otel

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Item is one span or log event on a separate line, which [Read] accepts.
type Item struct {
	Session string          `json:"session"` // the client's id of the conversation; "" if the client does not send one
	Key     string          `json:"key"`     // identifies the span or event, and is derived from none of its texts
	Line    json.RawMessage `json:"line"`
}

// Taken describes the result for the items of a request; the numbers count rejected items.
type Taken struct {
	Early   int    `json:"early"`           // items that hooks may still report: the client sends them again
	Unknown int    `json:"unknown"`         // items of conversations that are unknown here
	Full    int    `json:"full"`            // over the limit of a conversation
	Error   string `json:"error,omitempty"` // nothing was accepted
}

// Answer describes the result for items that the receiver passed on.
type Answer struct {
	Taken
	N int `json:"n"`
}

// Items returns the spans and events of an OTLP document that concern a conversation, with the attributes that Read
// uses.
func Items(document []byte) ([]Item, error) {
	list, err := spansOf(&foreign.Document{Raw: document})
	if err != nil {
		return nil, err
	}
	var out []Item
	for _, s := range list {
		if s.event() == "" && (s.attrs["event.name"] != nil || s.kind() == other && !s.agent()) {
			continue
		}
		key := s.key()
		var line rawjson.Members
		line.Text("key", key).Text("name", s.name).Text("service", s.service)
		line.Text("trace_id", s.trace).Text("span_id", s.id).Text("parent_span_id", s.parent)
		line.Text("start_time", stamp(s.start)).Text("end_time", stamp(s.end))
		if s.failed {
			line.Raw("status", []byte(`{"code":2}`))
		}
		attrs := &rawjson.Members{}
		attrs.Text("session.id", s.conversation())
		for _, name := range slices.Sorted(maps.Keys(s.attrs)) {
			raw := s.attrs[name]
			if inner := s.inner(name); inner != nil {
				raw = inner
			}
			if known(name) && len(raw) > 0 {
				attrs.Raw(name, raw)
			}
		}
		out = append(out, Item{Session: s.conversation(), Key: key, Line: line.Raw("attributes", attrs.End()).End()})
	}
	return out, nil
}

// key returns a key of the span that is derived from ids and times.
func (s *span) key() string {
	parts := []string{s.trace, s.id, s.name, strconv.FormatInt(s.start.UnixNano(), 10)}
	for _, name := range []string{"session.id", "conversation.id", "event.timestamp", "event.sequence", "request_id",
		"tool_use_id", "call_id", "function_name", "duration_ms"} {
		parts = append(parts, string(s.attrs[name]))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hexOf(sum[:], 12)
}

// `known` reports whether Read uses an attribute; session.id is excluded.
func known(name string) bool {
	for _, list := range []string{"llm.input_messages.", "llm.output_messages."} {
		if rest, is := strings.CutPrefix(name, list); is {
			return strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz_.0123456789") == ""
		}
	}
	return slices.Contains(knownAttributes, name)
}

var knownAttributes = []string{
	"agent.name", "agent_id", "ai.model.id", "ai.prompt.messages", "ai.response.id", "ai.response.text",
	"ai.response.toolCalls", "ai.toolCall.id", "ai.toolCall.name", "ai.toolCall.result", "ai.usage.completionTokens",
	"ai.usage.promptTokens", "arguments", "cache_creation_tokens", "cache_read_tokens", "cached_content_token_count",
	"cached_token_count", "call_id", "conversation.id", "cost_usd", "duration_ms", "error", "error.type", "event.kind",
	"function_args", "function_name", "gen_ai.agent.name", "gen_ai.completion", "gen_ai.conversation.id",
	"gen_ai.input.messages", "gen_ai.operation.name", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.request.model",
	"gen_ai.response.id", "gen_ai.response.model", "gen_ai.system_instructions", "gen_ai.tool.call.arguments",
	"gen_ai.tool.call.id", "gen_ai.tool.call.result", "gen_ai.tool.definitions", "gen_ai.tool.name",
	"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.completion_tokens",
	"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.prompt_tokens", "input_token_count",
	"input_tokens", "llm.cost.total", "llm.model_name", "llm.token_count.completion", "llm.token_count.prompt",
	"llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_write", "model",
	"openinference.span.kind", "output", "output.value", "output_token_count", "output_tokens", "prompt", "request_id",
	"response", "response_text", "role", "success", "thoughts_token_count", "tool.id", "tool.name", "tool_input",
	"tool_name", "tool_use_id", deltaAttr, errorAttr,
}

// `inner` returns the JSON in a text attribute, for attributes that Read accepts as JSON or text. So a redactor sees
// the texts in it.
func (s *span) inner(name string) []byte {
	switch name {
	case "ai.prompt.messages", "ai.response.toolCalls", "function_args", "gen_ai.completion", "gen_ai.input.messages",
		"gen_ai.output.messages", "gen_ai.prompt", "gen_ai.system_instructions", "gen_ai.tool.call.arguments",
		"gen_ai.tool.definitions", "response_text", "tool_input":
		raw := s.json(name)
		if kind := rawjson.NewDecoder(raw).Kind(); kind == rawjson.Object || kind == rawjson.Array {
			return raw
		}
	}
	return nil
}

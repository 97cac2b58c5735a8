package otel_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/otel"
)

// logged is a log event n seconds after a time, as its client sends it.
func logged(client, name string, n int, attributes ...string) string {
	list := []any{}
	for i := 0; i+1 < len(attributes); i += 2 {
		list = append(list, map[string]any{"key": attributes[i], "value": map[string]any{"stringValue": attributes[i+1]}})
	}
	list = append(list, map[string]any{"key": "session.id", "value": map[string]any{"stringValue": "c-1"}},
		map[string]any{"key": "event.name", "value": map[string]any{"stringValue": client + "." + name}})
	raw, _ := json.Marshal(map[string]any{"timeUnixNano": "177890000" + string(rune(48+n)) + "000000000", "attributes": list})
	return string(raw)
}

func logs(records ...string) string {
	return `{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]}]}`
}

// The events of each client become the same conversation, also by way of lines, whatever their order.
func TestEventsBecomeAConversation(t *testing.T) {
	t.Parallel()
	for client, events := range map[string][]string{
		"claude_code": {
			logged("claude_code", "tool_result", 3, "request_id", "r", "tool_use_id", "t1", "tool_name", "Bash",
				"tool_input", `{"command":"make"}`, "success", "false", "error.type", "exit", "duration_ms", "500"),
			logged("claude_code", "user_prompt", 1, "prompt", "fix it"),
			logged("claude_code", "user_prompt", 1, "prompt", "<REDACTED>"),
			logged("claude_code", "api_request", 2, "request_id", "r", "model", "m", "input_tokens", "100", "cache_read_tokens", "20"),
			logged("claude_code", "assistant_response", 2, "request_id", "r", "response", "Look."),
			logged("claude_code", "assistant_response", 4, "request_id", "r2", "agent_id", "a1", "response", "Helped."),
		},
		"gemini_cli": {
			logged("gemini_cli", "user_prompt", 1, "prompt", "fix it"),
			logged("gemini_cli", "api_response", 2, "model", "m", "input_token_count", "120", "cached_content_token_count", "20", "response_text",
				`[{"candidates":[{"content":{"parts":[{"text":"Look."},{"functionCall":{"id":"t1","name":"Bash","args":{"command":"make"}}}]}}]}]`),
			logged("gemini_cli", "api_response", 2, "role", "utility_router", "model", "small"),
			logged("gemini_cli", "tool_call", 3, "function_name", "Bash", "success", "false", "error.type", "exit", "duration_ms", "500"),
		},
		"qwen-code": {
			logged("qwen-code", "user_prompt", 1, "prompt", "fix it"),
			logged("qwen-code", "api_response", 2, "model", "m", "input_token_count", "120", "cached_content_token_count", "20",
				"response_text", "Look."),
			logged("qwen-code", "tool_call", 3, "call_id", "t1", "function_name", "Bash", "function_args", `{"command":"make"}`,
				"success", "false", "error.type", "exit", "duration_ms", "500"),
		},
		"codex": {
			logged("codex", "user_prompt", 1, "prompt", "fix it"),
			logged("codex", "sse_event", 2, "event.kind", "response.completed", "duration_ms", "0"),
			logged("codex", "sse_event", 2, "event.kind", "response.completed", "model", "m", "input_token_count", "120", "cached_token_count", "20"),
			logged("codex", "tool_result", 3, "call_id", "t1", "tool_name", "Bash", "arguments", `{"command":"make"}`, "success", "false",
				"error.type", "exit", "duration_ms", "500"),
		},
	} {
		items, err := otel.Items([]byte(logs(events...)))
		if err != nil {
			t.Fatal(client, err)
		}
		var lines [][]byte
		for _, item := range items {
			lines = append(lines, item.Line)
		}
		r, err := otel.Conversation(bytes.NewReader(bytes.Join(lines, []byte("\n"))), "some-agent", "c-1")
		if err != nil {
			t.Fatal(client, err)
		}
		imported, err := read(logs(events...))
		if err != nil || len(imported) != 1 || len(imported[0].Steps) != len(r.Steps) {
			t.Fatalf("%s: imported are %+v, %v", client, imported, err)
		}
		if r.Agent.Name != "some-agent" || r.SessionID != "c-1" || len(r.Check()) > 0 || !otel.Made(r) || *r.Steps[0].Content != "fix it" {
			t.Fatalf("%s: %+v", client, r)
		}
		call := r.Steps[1]
		if call.ToolCalls[0].ToolName != "Bash" || string(call.ToolCalls[0].Input) != `{"command":"make"}` || *call.Model != "m" ||
			*call.Observations[0].Error != "exit" || call.TokenUsage.InputTokens != 100 || call.TokenUsage.CacheReadTokens != 20 {
			t.Errorf("%s: %+v", client, call)
		}
		if client != "codex" && *call.Content != "Look." {
			t.Errorf("%s said %q", client, *call.Content)
		}
		if string(r.Metadata["content_absent"]) != map[string]string{"codex": "1"}[client] {
			t.Errorf("%s: absent are %s", client, r.Metadata["content_absent"])
		}
		if client == "claude_code" && (len(r.Steps) != 3 || r.Steps[2].AgentRole == nil) {
			t.Errorf("the subagent is %+v", r.Steps[2:])
		}
	}
}

// A client that sends spans beside its events says everything twice: the events are enough.
func TestSpansBesideEventsTellNothingMore(t *testing.T) {
	t.Parallel()
	resource := `"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"qwen-code"}}]}`
	events := strings.Replace(logs(logged("qwen-code", "user_prompt", 1, "prompt", "fix it"),
		logged("qwen-code", "api_response", 2, "model", "m", "output_token_count", "20", "response_text", `[{"a": 1}]`)),
		`"resource":{}`, resource, 1)
	spans := `{"resourceSpans":[{` + resource + `,"scopeSpans":[{"spans":[{"traceId":"0102","spanId":"03","name":"qwen-code.llm_request",
		"startTimeUnixNano":"1778900001000000000","endTimeUnixNano":"1778900002000000000","attributes":[
		{"key":"session.id","value":{"stringValue":"c-1"}},{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
		{"key":"gen_ai.usage.output_tokens","value":{"intValue":"20"}}]}]}]}]}`
	var lines []byte
	for _, body := range []string{events, spans} {
		items, err := otel.Items([]byte(body))
		if err != nil || len(items) == 0 {
			t.Fatal(items, err)
		}
		for _, item := range items {
			lines = append(append(lines, item.Line...), '\n')
		}
	}
	r, err := otel.Conversation(bytes.NewReader(lines), "qwen-code", "c-1")
	if err != nil || len(r.Steps) != 2 || r.Steps[1].Content == nil || r.Metrics.TotalOutputTokens != 20 || *r.Steps[1].Content != `[{"a": 1}]` {
		raw, _ := json.Marshal(r)
		t.Fatalf("%s, %v", raw, err)
	}
}

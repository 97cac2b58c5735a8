package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// chat is the OpenAI Chat Completions protocol.
type chat struct{}

func (chat) accepts(path string) bool { return strings.HasSuffix(path, "/chat/completions") }

func (chat) locate(body []byte, _ http.Header) (position, error) {
	var req struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return position{}, fmt.Errorf("read chat request: %w", err)
	}
	return locateMessages(req.Messages), nil
}

func (d chat) answer(w http.ResponseWriter, _ *http.Request, body []byte, sc scene) error {
	if sc.Error != nil {
		writeJSON(w, sc.Error.Status, map[string]any{"error": map[string]any{"message": "scripted error"}})
		return nil
	}
	var req struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return fmt.Errorf("read chat request: %w", err)
	}
	calls, err := d.calls(sc)
	if err != nil {
		return err
	}
	finish := sc.StopReason
	if finish == "" {
		finish = "stop"
		if len(calls) > 0 {
			finish = "tool_calls"
		}
	}
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
	maps.Copy(usage, sc.Usage)
	reply := func(object string, choices []any, more map[string]any) map[string]any {
		out := map[string]any{"id": "chatcmpl-scripted-" + sc.nonce, "created": 0, "model": req.Model, "object": object,
			"choices": choices}
		maps.Copy(out, more)
		return out
	}
	if !req.Stream {
		msg := map[string]any{"role": "assistant", "content": sc.said()}
		if len(calls) > 0 {
			msg["tool_calls"] = calls
		}
		writeJSON(w, http.StatusOK, reply("chat.completion",
			[]any{map[string]any{"index": 0, "message": msg, "finish_reason": finish}}, map[string]any{"usage": usage}))
		return nil
	}
	s := newStream(w)
	chunk := func(delta map[string]any, finish any) {
		s.data(reply("chat.completion.chunk", []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
			nil))
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	if text := sc.said(); text != "" {
		for _, p := range pieces(text) {
			chunk(map[string]any{"content": p}, nil)
		}
	}
	for i, call := range calls {
		function := call["function"].(map[string]any)
		chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": call["id"], "type": "function",
			"function": map[string]any{"name": function["name"], "arguments": ""},
		}}}, nil)
		for _, p := range pieces(function["arguments"].(string)) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": p}}}},
				nil)
		}
	}
	if sc.Disconnect {
		return s.drop()
	}
	chunk(map[string]any{}, finish)
	s.data(reply("chat.completion.chunk", []any{}, map[string]any{"usage": usage}))
	s.raw("data: [DONE]\n\n")
	return s.err
}

func (chat) calls(sc scene) ([]map[string]any, error) {
	var out []map[string]any
	for n, tool := range sc.Tools {
		arguments, err := tool.arguments()
		if err != nil {
			return nil, err
		}
		out = append(out, map[string]any{
			"index": n, "id": sc.id("call_", n), "type": "function",
			"function": map[string]any{"name": tool.Name, "arguments": arguments},
		})
	}
	return out, nil
}

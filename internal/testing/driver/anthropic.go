package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// anthropic is the Messages protocol, with streamed and with single answers.
type anthropic struct{}

func (anthropic) accepts(path string) bool { return strings.HasSuffix(path, "/messages") }

func (anthropic) locate(body []byte, _ http.Header) (position, error) {
	var req struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return position{}, fmt.Errorf("read messages request: %w", err)
	}
	return locateMessages(req.Messages), nil
}

func (a anthropic) answer(w http.ResponseWriter, r *http.Request, body []byte, sc scene) error {
	if sc.Error != nil {
		writeJSON(w, sc.Error.Status, map[string]any{
			"type":  "error",
			"error": map[string]any{"type": "overloaded_error", "message": "scripted overload"},
		})
		return nil
	}
	var req struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return fmt.Errorf("read messages request: %w", err)
	}
	blocks := a.blocks(sc)
	usage := map[string]any{
		"input_tokens": 100, "output_tokens": 20,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
	}
	maps.Copy(usage, sc.Usage)
	stop := sc.StopReason
	if stop == "" {
		stop = "end_turn"
		if len(sc.Tools) > 0 {
			stop = "tool_use"
		}
	}
	msg := map[string]any{
		"id": "msg_scripted_" + sc.nonce, "type": "message", "role": "assistant", "model": req.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
	if !req.Stream {
		msg["content"], msg["stop_reason"] = blocks, stop
		writeJSON(w, http.StatusOK, msg)
		return nil
	}
	s := newStream(w)
	s.event("message_start", map[string]any{"message": msg})
	for i, block := range blocks {
		a.block(s, i, block)
		if sc.Disconnect {
			return s.drop()
		}
		s.event("content_block_stop", map[string]any{"index": i})
		if err := pause(r.Context(), sc.BlockGapMS); err != nil {
			return err
		}
	}
	s.event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": usage["output_tokens"]},
	})
	s.event("message_stop", nil)
	return s.err
}

// blocks returns a scene as content blocks: thinking, text, tool calls.
func (anthropic) blocks(sc scene) []map[string]any {
	var out []map[string]any
	if sc.Thinking != "" {
		out = append(out, map[string]any{"type": "thinking", "thinking": sc.Thinking, "signature": "c2NyaXB0ZWQ="})
	}
	if text := sc.said(); text != "" {
		out = append(out, map[string]any{"type": "text", "text": text})
	}
	for n, tool := range sc.Tools {
		out = append(out, map[string]any{"type": "tool_use", "id": sc.id("toolu_", n), "name": tool.Name,
			"input": tool.input()})
	}
	return out
}

// block streams one content block, without its end, which the caller writes.
func (anthropic) block(s *stream, i int, block map[string]any) {
	start := func(empty map[string]any) {
		s.event("content_block_start", map[string]any{"index": i, "content_block": empty})
	}
	delta := func(kind, key string, value any) {
		s.event("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, key: value}})
	}
	switch block["type"] {
	case "text":
		start(map[string]any{"type": "text", "text": ""})
		for _, p := range pieces(block["text"].(string)) {
			delta("text_delta", "text", p)
		}
	case "thinking":
		start(map[string]any{"type": "thinking", "thinking": "", "signature": ""})
		delta("thinking_delta", "thinking", block["thinking"])
		delta("signature_delta", "signature", block["signature"])
	case "tool_use":
		start(map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}})
		input, err := json.Marshal(block["input"])
		if err != nil {
			s.err = err
			return
		}
		for _, p := range pieces(string(input)) {
			delta("input_json_delta", "partial_json", p)
		}
	}
}

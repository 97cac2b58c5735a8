package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
)

// responses is the OpenAI Responses protocol.
type responses struct{}

func (responses) accepts(path string) bool { return strings.HasSuffix(path, "/responses") }

// responseItem has the members of an input item that locate needs.
type responseItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	ID      string          `json:"id"`
	CallID  string          `json:"call_id"`
	Content json.RawMessage `json:"content"`
}

func (i responseItem) kind() string {
	if i.Type == "" {
		return "message"
	}
	return i.Type
}

func (responses) locate(body []byte, header http.Header) (position, error) {
	var req struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return position{}, fmt.Errorf("read responses request: %w", err)
	}
	var raw []json.RawMessage
	if json.Unmarshal(req.Input, &raw) != nil {
		var text string
		if err := json.Unmarshal(req.Input, &text); err != nil {
			return position{}, fmt.Errorf("read input of responses request: %w", err)
		}
		return position{Script: lastMarker(text)}, nil
	}
	// The task of a Codex subagent arrives as a message of the agent that started it.
	sub := header.Get("X-Openai-Subagent") != ""
	pos := position{recent: recent(raw)}
	var since []responseItem
	for _, data := range raw {
		var item responseItem
		if json.Unmarshal(data, &item) != nil {
			continue
		}
		since = append(since, item)
		if (item.kind() == "message" && item.Role == "user") || (item.kind() == "agent_message" && sub) {
			if name := lastMarker(strings.Join(texts(item.Content), "\n")); name != "" {
				pos.Script, since = name, nil
			}
		}
	}
	pos.Turn = responseTurns(since)
	return pos, nil
}

var turnInID = regexp.MustCompile(`_t(\d+)_\d+_`)

// responseTurns counts the model's answers in a flat list of items. The ids of one answer's calls have the same turn.
// The answer's text comes before its calls.
func responseTurns(items []responseItem) int {
	turns, text := 0, false
	seen := map[string]bool{}
	for _, item := range items {
		switch {
		case item.kind() == "message" && item.Role == "assistant":
			if text {
				turns++
			}
			text = true
		case strings.HasSuffix(item.kind(), "_call"):
			m := turnInID.FindStringSubmatch(item.CallID + " " + item.ID)
			if m == nil || !seen[m[1]] {
				turns++
			}
			if m != nil {
				seen[m[1]] = true
			}
			text = false
		case item.kind() == "message":
			if text {
				turns++
			}
			text = false
		}
	}
	if text {
		turns++
	}
	return turns
}

func (d responses) answer(w http.ResponseWriter, _ *http.Request, body []byte, sc scene) error {
	if sc.Error != nil {
		writeJSON(w, sc.Error.Status, map[string]any{"error": map[string]any{
			"message": "scripted error", "type": "server_error", "code": "server_error",
		}})
		return nil
	}
	var req struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return fmt.Errorf("read responses request: %w", err)
	}
	items, err := d.items(sc)
	if err != nil {
		return err
	}
	usage := map[string]any{
		"input_tokens": 100, "input_tokens_details": map[string]any{"cached_tokens": 0},
		"output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 120,
	}
	maps.Copy(usage, sc.Usage)
	base := map[string]any{
		"id": "resp_scripted_" + sc.nonce, "object": "response", "created_at": 0, "status": "in_progress",
		"model": req.Model, "output": []any{}, "usage": nil, "error": nil, "parallel_tool_calls": true,
	}
	whole := maps.Clone(base)
	whole["status"], whole["output"], whole["usage"] = "completed", items, usage
	if !req.Stream {
		writeJSON(w, http.StatusOK, whole)
		return nil
	}
	s, number := newStream(w), 0
	event := func(name string, fields map[string]any) {
		fields["sequence_number"] = number
		number++
		s.event(name, fields)
	}
	event("response.created", map[string]any{"response": base})
	event("response.in_progress", map[string]any{"response": base})
	for i, item := range items {
		d.item(event, i, item)
		if sc.Disconnect {
			return s.drop()
		}
		event("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	event("response.completed", map[string]any{"response": whole})
	return s.err
}

// items returns a scene as output items: reasoning, a message, tool calls.
func (responses) items(sc scene) ([]map[string]any, error) {
	var out []map[string]any
	if sc.Thinking != "" {
		out = append(out, map[string]any{
			"type": "reasoning", "id": "rs_" + sc.nonce, "encrypted_content": nil,
			"summary": []any{map[string]any{"type": "summary_text", "text": sc.Thinking}},
		})
	}
	if text := sc.said(); text != "" {
		out = append(out, map[string]any{
			"type": "message", "id": "msg_" + sc.nonce, "status": "completed", "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}},
		})
	}
	for n, tool := range sc.Tools {
		item := map[string]any{"status": "completed", "call_id": sc.id("call_", n), "name": tool.Name}
		if tool.Namespace != "" {
			item["namespace"] = tool.Namespace
		}
		id := fmt.Sprintf("%s%d", sc.nonce, n)
		switch {
		case tool.Custom != nil:
			item["type"], item["id"], item["input"] = "custom_tool_call", "ctc_"+id, *tool.Custom
		case tool.Shell != nil:
			item["type"], item["id"], item["action"] = "local_shell_call", "lsh_"+id, tool.Shell
		default:
			arguments, err := tool.arguments()
			if err != nil {
				return nil, err
			}
			item["type"], item["id"], item["arguments"] = "function_call", "fc_"+id, arguments
		}
		out = append(out, item)
	}
	return out, nil
}

// item streams one output item, without its end, which the caller writes.
func (responses) item(event func(string, map[string]any), i int, item map[string]any) {
	open := maps.Clone(item)
	open["status"] = "in_progress"
	at := func(fields map[string]any) map[string]any {
		fields["item_id"], fields["output_index"] = item["id"], i
		return fields
	}
	// spread sends a text in pieces, then the whole text.
	spread := func(name, key, text string, more map[string]any) {
		for _, p := range pieces(text) {
			delta := maps.Clone(more)
			delta["delta"] = p
			event(name+".delta", at(delta))
		}
		done := maps.Clone(more)
		done[key] = text
		event(name+".done", at(done))
	}
	begin := func() { event("response.output_item.added", map[string]any{"output_index": i, "item": open}) }
	switch item["type"] {
	case "message":
		part := item["content"].([]any)[0].(map[string]any)
		empty := map[string]any{"type": "output_text", "text": "", "annotations": []any{}}
		open["content"] = []any{}
		begin()
		event("response.content_part.added", at(map[string]any{"content_index": 0, "part": empty}))
		spread("response.output_text", "text", part["text"].(string), map[string]any{"content_index": 0})
		event("response.content_part.done", at(map[string]any{"content_index": 0, "part": part}))
	case "function_call":
		open["arguments"] = ""
		begin()
		spread("response.function_call_arguments", "arguments", item["arguments"].(string), map[string]any{})
	case "custom_tool_call":
		open["input"] = ""
		begin()
		spread("response.custom_tool_call_input", "input", item["input"].(string), map[string]any{})
	default:
		begin()
	}
}

package driver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// gemini is the generateContent protocol, with streamed and with single answers.
type gemini struct{}

func (gemini) accepts(path string) bool {
	return strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")
}

func (gemini) locate(body []byte, _ http.Header) (position, error) {
	var req struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return position{}, fmt.Errorf("read generateContent request: %w", err)
	}
	pos := position{recent: recent(req.Contents)}
	for _, raw := range req.Contents {
		var item struct {
			Role  string `json:"role"`
			Parts []struct {
				Text string `json:"text"`
			} `json:"parts"`
		}
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		switch item.Role {
		case "user":
			for _, part := range item.Parts {
				if name := lastMarker(part.Text); name != "" {
					pos.Script, pos.Turn = name, 0
				}
			}
		case "model":
			pos.Turn++
		}
	}
	return pos, nil
}

func (gemini) answer(w http.ResponseWriter, r *http.Request, _ []byte, sc scene) error {
	if sc.Error != nil {
		writeJSON(w, sc.Error.Status, map[string]any{"error": map[string]any{
			"code": sc.Error.Status, "message": "scripted error", "status": "UNAVAILABLE",
		}})
		return nil
	}
	var parts []any
	if text := sc.said(); text != "" {
		parts = append(parts, map[string]any{"text": text})
	}
	for n, tool := range sc.Tools {
		parts = append(parts, map[string]any{"functionCall": map[string]any{
			"id": sc.id("fc_", n), "name": tool.Name, "args": tool.input(),
		}})
	}
	reply := map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
		"modelVersion":  "scripted", "responseId": sc.nonce,
	}
	if !strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		writeJSON(w, http.StatusOK, reply)
		return nil
	}
	s := newStream(w)
	if sc.Disconnect {
		return s.drop()
	}
	s.data(reply)
	return s.err
}

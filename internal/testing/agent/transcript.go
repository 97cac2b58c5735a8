package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func (p *player) transcriptPath() string {
	key := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(p.dir)
	return filepath.Join(os.Getenv("HOME"), ".claude", "projects", key, p.session+".jsonl")
}

// sessionFile returns the session file for the present actor. Subagents have their own files beside the main one.
func (p *player) sessionFile() string {
	path := p.transcriptPath()
	if p.sub == "" {
		return path
	}
	return filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", "agent-"+p.sub+".jsonl")
}

// transcript adds a line to the session file in Claude Code's form, if the script wants a session file: a prompt, an
// answer, a call or the result of a call. An answer or a call is one answer of the model, with 100 input and 20 output
// tokens.
func (p *player) transcript(kind string, fields map[string]any, text string) error {
	if os.Getenv("TRANSCRIPTS") == "" || p.sub != "" && !p.serving {
		return nil
	}
	n, chain := p.count("lines"+p.sub, false), p.session+p.sub
	line := map[string]any{
		"uuid": fmt.Sprintf("%s-%04d", chain, n), "parentUuid": nil, "isSidechain": false,
		"userType": "external", "cwd": p.dir,
		"sessionId": p.session, "version": "2.1.150", "gitBranch": "main",
		"timestamp": time.Date(2026, 11, 2, 9, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z"),
	}
	if p.sub != "" {
		line["isSidechain"], line["agentId"] = true, p.sub
	}
	if os.Getenv("TRANSCRIPTS") == "now" {
		line["timestamp"] = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if n > 1 {
		line["parentUuid"] = fmt.Sprintf("%s-%04d", chain, n-1)
	}
	answer := func(block map[string]any) {
		line["type"], line["requestId"] = "assistant", fmt.Sprintf("req_%s_%d", chain, n)
		line["message"] = map[string]any{
			"id": fmt.Sprintf("msg_%s_%d", chain, n), "type": "message", "role": "assistant", "model": "claude-opus-4-5",
			"content": []any{block}, "usage": map[string]any{"input_tokens": 100, "output_tokens": 20},
		}
	}
	switch kind {
	case "prompt":
		line["type"], line["message"] = "user", map[string]any{"role": "user", "content": text}
	case "answer":
		answer(map[string]any{"type": "text", "text": text})
	case "call":
		answer(map[string]any{"type": "tool_use", "id": fields["tool_use_id"], "name": fields["tool_name"],
			"input": fields["tool_input"]})
	case "result":
		result := map[string]any{"type": "tool_result", "tool_use_id": fields["tool_use_id"], "content": "done"}
		if reason, failed := fields["error"]; failed {
			result["content"], result["is_error"] = reason, true
		}
		line["type"], line["toolUseResult"] = "user", fields["tool_response"]
		line["message"] = map[string]any{"role": "user", "content": []any{result}}
	}
	raw, err := json.Marshal(line)
	if err != nil {
		return err
	}
	path := p.sessionFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append(raw, '\n'))
	return err
}

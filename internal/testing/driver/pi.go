package driver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// pi runs Pi in its print mode, under its old or its new package name.
type pi struct{}

func (pi) prepare(j *job) (args, env []string, err error) {
	dir := filepath.Join(j.repo.Home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	model := j.opts.Model
	if model == "" {
		model = "scripted-model"
	}
	var models []any
	for _, id := range []string{model, "other-model"} {
		models = append(models, map[string]any{
			"id": id, "name": id, "reasoning": false, "input": []string{"text"}, "contextWindow": 200000, "maxTokens": 8192,
			"cost": map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		})
	}
	config, err := json.MarshalIndent(map[string]any{"providers": map[string]any{"scripted": map[string]any{
		"baseUrl": j.url, "api": "anthropic-messages", "apiKey": "test-key", "models": models,
	}}}, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "models.json"), config, 0o644); err != nil {
		return nil, nil, err
	}
	args = []string{"--provider", "scripted", "--model", model}
	if j.opts.At == nil {
		args = append(args, "--mode", "json", "-p")
	}
	return append(append(args, j.opts.Args...), j.opts.Prompt),
		[]string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}, nil
}

// inspect reads the events of --mode json, one per line; the first is the head of the session file.
func (pi) inspect(j *job, res *Result) error {
	lines := bufio.NewScanner(bytes.NewReader(res.Stdout))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct {
			Type    string `json:"type"`
			ID      string `json:"id"`
			Message struct {
				Role    string          `json:"role"`
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue // a client that was killed leaves half a line
		}
		switch {
		case event.Type == "session":
			res.Session = event.ID
		case event.Type == "message_end" && event.Message.Role == "assistant":
			for _, text := range texts(event.Message.Content) {
				if text != "" {
					res.Answer = text
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	var err error
	res.Transcripts, err = filepath.Glob(filepath.Join(j.repo.Home, ".pi", "agent", "sessions", "*",
		"*_"+res.Session+".jsonl"))
	return err
}

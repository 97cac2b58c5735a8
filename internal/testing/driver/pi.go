package driver

import (
	"cmp"
	"encoding/json"
	"path/filepath"
)

// pi runs Pi in its print mode or at a terminal, under its former or its present package name.
type pi struct{}

func (pi) prepare(j *job) (args, env []string, err error) {
	model := cmp.Or(j.opts.Model, "scripted-model")
	var models []any
	for _, id := range []string{model, "other-model"} {
		models = append(models, map[string]any{
			"id": id, "name": id, "reasoning": false, "input": []string{"text"}, "contextWindow": 200000, "maxTokens": 8192,
			"cost": map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		})
	}
	err = j.place(map[string]any{"providers": map[string]any{"scripted": map[string]any{
		"baseUrl": j.url, "api": "anthropic-messages", "apiKey": "test-key", "models": models,
	}}}, ".pi", "agent", "models.json")
	if err != nil {
		return nil, nil, err
	}
	args = []string{"--provider", "scripted", "--model", model}
	if j.opts.At == nil {
		args = append(args, "--mode", "json", "-p")
	}
	return append(append(args, j.opts.Args...), j.opts.Prompt),
		[]string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}, nil
}

// inspect reads the events of --mode json, one on each line. The first is the head of the session file.
func (pi) inspect(j *job, res *Result) error {
	type event struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Message struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	each(res.Stdout, func(e event) {
		switch {
		case e.Type == "session":
			res.Session = e.ID
		case e.Type == "message_end" && e.Message.Role == "assistant":
			for _, text := range texts(e.Message.Content) {
				if text != "" {
					res.Answer = text
				}
			}
		}
	})
	var err error
	res.Transcripts, err = filepath.Glob(filepath.Join(j.repo.Home, ".pi", "agent", "sessions", "*",
		"*_"+res.Session+".jsonl"))
	return err
}

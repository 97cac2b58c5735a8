package driver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// geminiCLI runs Gemini CLI in its print mode, or at a terminal.
type geminiCLI struct{}

func (geminiCLI) prepare(j *job) (args, env []string, err error) {
	if err := geminiSettings(j, ".gemini", "gemini-api-key", nil); err != nil {
		return nil, nil, err
	}
	model := cmp.Or(j.opts.Model, "gemini-2.5-pro")
	args = []string{"--model", model, "--skip-trust"}
	if j.opts.At == nil {
		args = append(args, "--approval-mode", "yolo", "-o", "stream-json")
	}
	return append(append(args, j.opts.Args...), j.ask("-p", "-i"), j.opts.Prompt), []string{
		"GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + j.url, "GEMINI_TELEMETRY_ENABLED=false",
	}, nil
}

func (geminiCLI) inspect(j *job, res *Result) error {
	return streamed(res, filepath.Join(j.repo.Home, ".gemini", "tmp", "*", "chats", "session-*.jsonl"))
}

// qwen runs Qwen Code in its print mode, or at a terminal.
type qwen struct{}

func (qwen) prepare(j *job) (args, env []string, err error) {
	model := cmp.Or(j.opts.Model, "scripted-model")
	var models []any
	for _, id := range []string{model, "other-model"} {
		models = append(models, map[string]string{"id": id, "name": id, "envKey": "OPENAI_API_KEY", "baseUrl": j.url + "/v1"})
	}
	err = geminiSettings(j, ".qwen", "openai", map[string]any{
		"model": map[string]string{"name": model}, "modelProviders": map[string]any{"openai": models},
	})
	if err != nil {
		return nil, nil, err
	}
	if j.opts.At == nil {
		args = []string{"--approval-mode", "yolo", "-o", "stream-json"}
	}
	args = append(args, j.opts.Args...)
	return append(args, j.ask("-p", "-i"), j.opts.Prompt), []string{
		"OPENAI_API_KEY=test-key", "OPENAI_BASE_URL=" + j.url + "/v1", "OPENAI_MODEL=" + model,
	}, nil
}

func (qwen) inspect(j *job, res *Result) error {
	return streamed(res, filepath.Join(j.repo.Home, ".qwen", "projects", "*", "chats", "*.jsonl"))
}

// geminiSettings adds the settings that Gemini CLI, or a client derived from it, needs offline. It keeps the test's
// settings, such as hooks.
func geminiSettings(j *job, dir, auth string, more map[string]any) error {
	settings := map[string]any{}
	data, err := os.ReadFile(filepath.Join(j.repo.Home, dir, "settings.json"))
	if j.opts.Settings != nil {
		data, err = j.opts.Settings, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read settings: %w", err)
	}
	maps.Copy(settings, map[string]any{
		"general": map[string]bool{"disableAutoUpdate": true, "enableAutoUpdate": false,
			"enableAutoUpdateNotification": false},
		"privacy":   map[string]bool{"usageStatisticsEnabled": false},
		"telemetry": map[string]bool{"enabled": false},
		"security": map[string]any{"auth": map[string]string{"selectedType": auth},
			"folderTrust": map[string]bool{"enabled": j.opts.CheckTrust}},
	})
	maps.Copy(settings, more)
	return j.place(settings, dir, "settings.json")
}

// `streamed` reads the events of `-o stream-json` of Gemini CLI or Qwen Code, one on each line.
func streamed(res *Result, chats string) error {
	type event struct {
		Type    string `json:"type"`
		Session string `json:"session_id"`
		Result  string `json:"result"`
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	each(res.Stdout, func(e event) {
		if e.Session != "" {
			res.Session = e.Session
		}
		switch {
		case e.Type == "result" && e.Result != "":
			res.Answer = e.Result
		case e.Type == "message" && e.Role == "assistant":
			res.Answer = e.Content
		}
	})
	var err error
	res.Transcripts, err = filepath.Glob(chats)
	return err
}

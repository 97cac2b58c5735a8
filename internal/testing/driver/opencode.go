package driver

import (
	"cmp"
	"os"
	"path/filepath"
)

// opencode runs OpenCode with `opencode run`, or at a terminal. Its sessions are in a database, so there are no session
// files.
type opencode struct{}

func (opencode) prepare(j *job) (args, env []string, err error) {
	dir := filepath.Join(j.repo.Home, ".config", "opencode")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	// At its start the client would install this package from the network into its configuration.
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Lstat(modules); err != nil {
		installed := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(j.binary))))
		if err := os.Symlink(filepath.Join(installed, "node_modules"), modules); err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "package.json"),
			[]byte(`{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`), 0o644); err != nil {
			return nil, nil, err
		}
	}
	model := cmp.Or(j.opts.Model, "scripted-model")
	models := map[string]any{}
	for _, id := range []string{model, "other-model"} {
		models[id] = map[string]any{"name": id, "tool_call": true, "limit": map[string]int{"context": 200000, "output": 8192}}
	}
	err = j.place(map[string]any{
		"$schema": "https://opencode.ai/config.json", "model": "scripted/" + model, "small_model": "scripted/" + model,
		"autoupdate": false, "share": "disabled", "permission": map[string]string{"*": j.ask("allow", "ask")},
		"provider": map[string]any{"scripted": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "scripted", "models": models,
			"options": map[string]string{"baseURL": j.url + "/v1", "apiKey": "test-key"},
		}},
	}, ".config", "opencode", "opencode.json")
	if err != nil {
		return nil, nil, err
	}
	args = []string{"run", "--format", "json", "--model", "scripted/" + model}
	if j.opts.At != nil {
		args = []string{"--model", "scripted/" + model}
	}
	args = append(args, j.opts.Args...)
	if j.opts.At != nil {
		args = append(args, "--prompt")
	}
	return append(args, j.opts.Prompt), []string{
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_SHARE=1",
	}, nil
}

// inspect reads the events of --format json, one on each line.
func (opencode) inspect(_ *job, res *Result) error {
	type event struct {
		Type    string `json:"type"`
		Session string `json:"sessionID"`
		Part    struct {
			Text string `json:"text"`
		} `json:"part"`
	}
	each(res.Stdout, func(e event) {
		if res.Session == "" {
			res.Session = e.Session
		}
		if e.Type == "text" {
			res.Answer = e.Part.Text
		}
	})
	return nil
}

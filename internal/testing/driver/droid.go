package driver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// droid runs Droid with a custom model. So it needs no account.
type droid struct{}

// droidPackage returns the npm package with the client for this platform.
func droidPackage() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return "@factory/cli-" + runtime.GOOS + "-" + arch
}

func (droid) prepare(j *job) (args, env []string, err error) {
	model := cmp.Or(j.opts.Model, "scripted-model")
	own := map[string]any{
		"model": model, "displayName": model, "provider": "anthropic", "baseUrl": j.url, "apiKey": "test-key",
		"maxOutputTokens": 4096,
	}
	settings := map[string]any{}
	data, err := os.ReadFile(filepath.Join(j.repo.Home, ".factory", "settings.json"))
	if j.opts.Settings != nil {
		data, err = j.opts.Settings, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil && !os.IsNotExist(err) {
		return nil, nil, fmt.Errorf("read settings: %w", err)
	}
	settings["customModels"] = []any{own} // keep hooks that the test wrote there
	chosen := "custom:" + model
	if j.opts.At != nil { // for interactive runs no option names the model
		settings["model"], settings["sessionDefaultSettings"] = chosen, map[string]any{"model": chosen}
	}
	if err := j.place(settings, ".factory", "settings.json"); err != nil {
		return nil, nil, err
	}
	if j.opts.At == nil {
		args = []string{"exec", "--skip-permissions-unsafe", "-o", "json", "-m", chosen}
	}
	args = append(args, j.opts.Args...)
	return append(args, j.opts.Prompt), []string{
		"FACTORY_AIRGAP_ENABLED=1", "FACTORY_DROID_AUTO_UPDATE_ENABLED=false",
	}, nil
}

// inspect reads the object of `-o json`.
func (droid) inspect(j *job, res *Result) error {
	var out struct {
		Session string `json:"session_id"`
		Result  string `json:"result"`
	}
	if len(res.Stdout) > 0 {
		if err := json.Unmarshal(res.Stdout, &out); err != nil {
			return fmt.Errorf("read result: %w", err)
		}
	}
	res.Session, res.Answer = out.Session, out.Result
	sessions := filepath.Join(j.repo.Home, ".factory", "sessions", "*")
	var err error
	res.Transcripts, err = filepath.Glob(filepath.Join(sessions, cmp.Or(out.Session, "*")+".jsonl"))
	return err
}

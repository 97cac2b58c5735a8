package driver

import (
	"cmp"
	"errors"
	"path/filepath"
	"runtime"
)

// cline runs Cline's command line in its print mode, with a custom model. So it needs no account.
type cline struct{}

// clinePackage returns the npm package with the client for this platform.
func clinePackage() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return "@cline/cli-" + runtime.GOOS + "-" + arch
}

func (cline) prepare(j *job) (args, env []string, err error) {
	if j.opts.At != nil {
		return nil, nil, errors.New("cline is driven in its print mode only")
	}
	model := cmp.Or(j.opts.Model, "scripted-model")
	const provider = "openai-compatible"
	settings := map[string]any{
		"version": 1, "lastUsedProvider": provider, "modes": map[string]any{},
		"providers": map[string]any{provider: map[string]any{
			"updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
			"settings": map[string]any{
				"provider": provider, "apiKey": "test-key", "model": model, "baseUrl": j.url + "/v1",
			},
		}},
	}
	if err := j.place(settings, ".cline", "data", "settings", "providers.json"); err != nil {
		return nil, nil, err
	}
	return append(append([]string{"--json"}, j.opts.Args...), j.opts.Prompt), []string{
		"CLINE_NO_AUTO_UPDATE=1", "CLINE_SESSION_BACKEND_MODE=local", // so that no background process stays
	}, nil
}

// inspect reads the events of --json, one on each line. The session is the newest that the client has stored.
func (cline) inspect(j *job, res *Result) error {
	type event struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	each(res.Stdout, func(e event) {
		if e.Type == "run_result" {
			res.Answer = e.Text
		}
	})
	found, err := filepath.Glob(filepath.Join(j.repo.Home, ".cline", "data", "sessions", "*", "*.messages.json"))
	if n := len(found); n > 0 { // their names begin with their time
		res.Session, res.Transcripts = filepath.Base(filepath.Dir(found[n-1])), found[n-1:]
	}
	return err
}

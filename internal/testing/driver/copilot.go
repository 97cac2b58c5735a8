package driver

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// copilot runs Copilot CLI in its print mode or at a terminal, with a custom model instead of GitHub's.
type copilot struct{}

func (copilot) prepare(j *job) (args, env []string, err error) {
	if j.opts.Settings != nil {
		if err := j.place(j.opts.Settings, ".copilot", "hooks", "test.json"); err != nil {
			return nil, nil, err
		}
	}
	model := cmp.Or(j.opts.Model, "claude-sonnet-4.5") // it gets tools for edits; OpenAI's models get apply_patch
	args = []string{
		"--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry", "--output-format", "json",
		"--log-dir", filepath.Join(j.run, "logs"),
	}
	if j.opts.At != nil {
		args = []string{"--disable-client-telemetry", "--log-dir", filepath.Join(j.run, "logs")}
		trusted := map[string]any{"trusted_folders": []string{j.repo.Dir}}
		if err := j.place(trusted, ".copilot", "config.json"); err != nil {
			return nil, nil, err
		}
	}
	goesOn := func(arg string) bool {
		return strings.HasPrefix(arg, "--continue") || strings.HasPrefix(arg, "--resume")
	}
	if j.opts.At == nil && !slices.ContainsFunc(j.opts.Args, goesOn) { // the two exclude each other
		args = append(args, "--trust-folder")
	}
	return append(append(args, j.opts.Args...), j.ask("-p", "-i"), j.opts.Prompt), []string{
		"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=" + j.url,
		"COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_API_KEY=test-key", "COPILOT_MODEL=" + model,
	}, nil
}

// inspect reads the events of --output-format json, one on each line. The last one names the session.
func (copilot) inspect(j *job, res *Result) error {
	type event struct {
		Type    string `json:"type"`
		Session string `json:"sessionId"`
		Data    struct {
			Content string `json:"content"`
		} `json:"data"`
	}
	each(res.Stdout, func(e event) {
		if e.Session != "" {
			res.Session = e.Session
		}
		if e.Type == "assistant.message" && e.Data.Content != "" {
			res.Answer = e.Data.Content
		}
	})
	states := filepath.Join(j.repo.Home, ".copilot", "session-state", "*", "events.jsonl")
	if res.Session != "" {
		states = filepath.Join(j.repo.Home, ".copilot", "session-state", res.Session, "events.jsonl")
	}
	var err error
	res.Transcripts, err = filepath.Glob(states)
	return err
}

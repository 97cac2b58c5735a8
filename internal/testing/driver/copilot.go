package driver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// copilot runs Copilot CLI in its print mode, with a model of the user's own instead of GitHub's.
type copilot struct{}

func (copilot) prepare(j *job) (args, env []string, err error) {
	if j.opts.Settings != nil {
		path := filepath.Join(j.repo.Home, ".copilot", "hooks", "test.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(path, j.opts.Settings, 0o644); err != nil {
			return nil, nil, err
		}
	}
	model := j.opts.Model
	if model == "" {
		model = "claude-sonnet-4.5" // a model with tools for edits; those of OpenAI get apply_patch
	}
	args = []string{
		"--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry", "--output-format", "json",
		"--log-dir", filepath.Join(j.run, "logs"),
	}
	if j.opts.At != nil {
		args = []string{"--disable-client-telemetry", "--log-dir", filepath.Join(j.run, "logs")}
		trusted, err := json.Marshal(map[string]any{"trusted_folders": []string{j.repo.Dir}})
		if err == nil {
			err = os.MkdirAll(filepath.Join(j.repo.Home, ".copilot"), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(j.repo.Home, ".copilot", "config.json"), trusted, 0o644)
		}
		if err != nil {
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

// inspect reads the events of --output-format json, one per line; the last of them names the session.
func (copilot) inspect(j *job, res *Result) error {
	lines := bufio.NewScanner(bytes.NewReader(res.Stdout))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct {
			Type    string `json:"type"`
			Session string `json:"sessionId"`
			Data    struct {
				Content string `json:"content"`
			} `json:"data"`
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue // a client that was killed leaves half a line
		}
		if event.Session != "" {
			res.Session = event.Session
		}
		if event.Type == "assistant.message" && event.Data.Content != "" {
			res.Answer = event.Data.Content
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	states := filepath.Join(j.repo.Home, ".copilot", "session-state", "*", "events.jsonl")
	if res.Session != "" {
		states = filepath.Join(j.repo.Home, ".copilot", "session-state", res.Session, "events.jsonl")
	}
	var err error
	res.Transcripts, err = filepath.Glob(states)
	return err
}

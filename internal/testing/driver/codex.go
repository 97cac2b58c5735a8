package driver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// codex runs Codex CLI with `codex exec`, or at a terminal. Its configuration is passed as arguments, so that the test
// can use ~/.codex/config.toml.
type codex struct{}

func (codex) prepare(j *job) (args, env []string, err error) {
	if err := os.MkdirAll(filepath.Join(j.repo.Home, ".codex"), 0o755); err != nil {
		return nil, nil, err
	}
	if j.opts.Settings != nil {
		if err := j.place(j.opts.Settings, ".codex", "hooks.json"); err != nil {
			return nil, nil, err
		}
	}
	model := cmp.Or(j.opts.Model, "gpt-5.5") // a model with plain tools; most others get a JavaScript tool
	args = []string{"exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
	if j.opts.At != nil {
		args = []string{"--ask-for-approval", "on-request", "--sandbox", "read-only"}
	}
	if !j.opts.CheckTrust {
		args = append(args, "--dangerously-bypass-hook-trust")
	}
	for _, setting := range []string{
		"model=" + strconv.Quote(model),
		`model_provider="scripted"`,
		fmt.Sprintf(`model_providers.scripted={name="scripted", base_url=%q, `+
			`wire_api="responses", env_key="SCRIPTED_API_KEY", `+
			`requires_openai_auth=false, supports_websockets=false, stream_max_retries=2, request_max_retries=2}`, j.url+"/v1"),
		"check_for_update_on_startup=false",
		"analytics.enabled=false",
		"feedback.enabled=false",
		fmt.Sprintf(`projects={%q={trust_level="trusted"}}`, j.repo.Dir),
	} {
		args = append(args, "-c", setting)
	}
	return append(append(args, j.opts.Args...), j.opts.Prompt), []string{"SCRIPTED_API_KEY=test-key"}, nil
}

// inspect reads the events of --json, one on each line.
func (codex) inspect(j *job, res *Result) error {
	type event struct {
		Type   string `json:"type"`
		Thread string `json:"thread_id"`
		Item   struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"item"`
	}
	each(res.Stdout, func(e event) {
		switch {
		case e.Type == "thread.started":
			res.Session = e.Thread
		case e.Type == "item.completed" && e.Item.Type == "agent_message":
			res.Answer = e.Item.Text
		}
	})
	var err error
	res.Transcripts, err = rollouts(j.repo.Home, res.Session)
	return err
}

// rollouts lists the session files of a thread: its own first, then those of its subagents, whose first line names the
// thread.
func rollouts(home, thread string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(home, ".codex", "sessions", "*", "*", "*", "rollout-*.jsonl"))
	if err != nil {
		return nil, err
	}
	var own, below []string
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		first, _, _ := bytes.Cut(data, []byte("\n"))
		var meta struct {
			Payload struct {
				ID   string `json:"id"`
				Root string `json:"session_id"`
			} `json:"payload"`
		}
		if json.Unmarshal(first, &meta) != nil {
			continue // not written yet
		}
		switch thread {
		case meta.Payload.ID:
			own = append(own, path)
		case meta.Payload.Root:
			below = append(below, path)
		}
	}
	return append(own, below...), nil
}

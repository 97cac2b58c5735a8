package driver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// claude runs Claude Code in its print mode, or at a terminal (Options.At).
type claude struct{}

// claudeTools lists the tools that run without a question. The permission mode allows edits.
const claudeTools = "Bash,Read,Edit,Write,NotebookEdit,Glob,Grep,Agent,TodoWrite,TaskCreate,TaskUpdate"

func (claude) prepare(j *job) (args, env []string, err error) {
	if j.opts.Settings != nil {
		if err := j.place(j.opts.Settings, ".claude", "settings.json"); err != nil {
			return nil, nil, err
		}
	}
	model := cmp.Or(j.opts.Model, "claude-sonnet-4-5")
	args = []string{"--model", model, "--permission-mode", "default", j.opts.Prompt}
	if j.opts.At == nil {
		args = []string{
			"-p", j.opts.Prompt, "--output-format", "json", "--permission-mode", "acceptEdits",
			"--allowedTools", claudeTools, "--model", model,
		}
	} else if err := claudeAtHome(j); err != nil {
		return nil, nil, err
	}
	args = append(args, j.opts.Args...)
	return args, []string{
		"ANTHROPIC_BASE_URL=" + j.url,
		"ANTHROPIC_API_KEY=test-key",
		"CLAUDE_CODE_TMPDIR=" + j.repo.Tmp,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}, nil
}

// claudeAtHome writes the settings of a person who has used the client before.
func claudeAtHome(j *job) error {
	return j.place(map[string]any{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": "99.0.0", "theme": "dark", "numStartups": 5,
		"autoUpdates":           false,
		"customApiKeyResponses": map[string]any{"approved": []string{"test-key"}, "rejected": []string{}},
		"projects": map[string]any{j.repo.Dir: map[string]any{"hasTrustDialogAccepted": true,
			"hasCompletedProjectOnboarding": true}},
	}, ".claude.json")
}

// inspect reads the result object of --output-format json. A client that was ended by a signal prints none. Then the id
// comes from its newest session file.
func (claude) inspect(j *job, res *Result) error {
	var out struct {
		Session string `json:"session_id"`
		Result  string `json:"result"`
	}
	if len(res.Stdout) > 0 && j.opts.At == nil {
		if err := json.Unmarshal(res.Stdout, &out); err != nil {
			return fmt.Errorf("read result: %w", err)
		}
	}
	res.Session, res.Answer = out.Session, out.Result
	projects := filepath.Join(j.repo.Home, ".claude", "projects", "*")
	if res.Session == "" {
		path, err := newest(filepath.Join(projects, "*.jsonl"))
		if err != nil || path == "" {
			return err
		}
		res.Session = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	}
	for _, pattern := range []string{res.Session + ".jsonl", filepath.Join(res.Session, "subagents", "*.jsonl")} {
		found, err := filepath.Glob(filepath.Join(projects, pattern))
		if err != nil {
			return err
		}
		res.Transcripts = append(res.Transcripts, found...)
	}
	return nil
}

func newest(pattern string) (string, error) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	var path string
	var when int64
	for _, f := range found {
		info, err := os.Stat(f)
		if err != nil {
			return "", err
		}
		if t := info.ModTime().UnixNano(); path == "" || t > when {
			path, when = f, t
		}
	}
	return path, nil
}

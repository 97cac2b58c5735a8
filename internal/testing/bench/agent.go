package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// agent plays Claude Code in a recorded repository: it runs the hooks with the payloads of the real client.
type agent struct {
	bench *bench
	dir   string
	calls int
}

// startAgent starts recording, and begins a conversation.
func (b *bench) startAgent(dir string) (*agent, error) {
	a := &agent{bench: b, dir: dir}
	if err := b.check(b.trace(dir, "init", "--agent", "claude-code")); err != nil {
		return nil, err
	}
	if err := b.check(a.hook("SessionStart", map[string]any{"source": "startup"})); err != nil {
		return nil, err
	}
	return a, b.check(a.hook("UserPromptSubmit", map[string]any{"prompt": "Make it faster."}))
}

// hook returns the process that the agent would start at an event.
func (a *agent) hook(event string, members map[string]any) *exec.Cmd {
	payload := map[string]any{
		"session_id": "0b5e2d4c-6f1a-4e0b-9a3d-2c7f8e915a60", "transcript_path": filepath.Join(a.dir, ".git", "transcript"),
		"cwd": a.dir, "hook_event_name": event, "prompt_id": "5d0f6a1e-8b7c-4d2e-a1f3-7c9b0e4d2f68",
		"permission_mode": "acceptEdits",
	}
	maps.Copy(payload, members)
	text, err := json.Marshal(payload)
	if err != nil {
		return &exec.Cmd{Err: fmt.Errorf("encode payload: %w", err)} // running it returns this error
	}
	cmd := a.bench.command(a.dir, a.bench.hooks, "hook", "claude-code", event)
	cmd.Stdin = bytes.NewReader(text)
	return cmd
}

// call is one tool call, played in steps: before, the change itself, after.
type call struct{ before, after *exec.Cmd }

// shell returns a call of the shell tool.
func (a *agent) shell() call {
	a.calls++
	input := map[string]any{"command": "make generate", "description": "Generate code"}
	id := fmt.Sprintf("toolu_%d", a.calls)
	return call{
		a.hook("PreToolUse", map[string]any{"tool_name": "Bash", "tool_input": input, "tool_use_id": id}),
		a.hook("PostToolUse", map[string]any{
			"tool_name": "Bash", "tool_input": input, "tool_use_id": id,
			"tool_response": map[string]any{"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
		}),
	}
}

// edit returns a call of the edit tool that adds a line to a file. The result `change` makes the change.
func (a *agent) edit(name string) (c call, change func() error, err error) {
	a.calls++
	file := filepath.Join(a.dir, filepath.FromSlash(name))
	raw, err := os.ReadFile(file)
	if err != nil {
		return c, nil, err
	}
	before := string(raw)
	lines := strings.SplitAfter(before, "\n")
	old := lines[len(lines)/2]
	added := fmt.Sprintf("%s// change %d by the agent\n", old, a.calls)
	after := strings.Replace(before, old, added, 1)
	input := map[string]any{"file_path": file, "old_string": old, "new_string": added, "replace_all": false}
	id := fmt.Sprintf("toolu_%d", a.calls)
	c.before = a.hook("PreToolUse", map[string]any{"tool_name": "Edit", "tool_input": input, "tool_use_id": id})
	c.after = a.hook("PostToolUse", map[string]any{
		"tool_name": "Edit", "tool_input": input, "tool_use_id": id,
		"tool_response": map[string]any{
			"filePath": file, "oldString": old, "newString": added, "originalFile": before, "structuredPatch": []any{},
			"userModified": false, "replaceAll": false,
		},
	})
	return c, func() error { return os.WriteFile(file, []byte(after), 0o666) }, nil
}

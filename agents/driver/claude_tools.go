package driver

import "maps"

// The tools of Claude Code that scripts made in Go use most. Paths may be
// relative to the working directory or begin with "${REPO}/".

// Read is a call that reads a file, which must come before an Edit of it.
func Read(path string) Tool {
	return Tool{Name: "Read", Input: map[string]any{"file_path": path}}
}

// Edit is a call that replaces the only occurrence of a text.
func Edit(path, old, new string) Tool {
	return Tool{Name: "Edit", Input: map[string]any{"file_path": path, "old_string": old, "new_string": new}}
}

// Write is a call that makes a whole file.
func Write(path, content string) Tool {
	return Tool{Name: "Write", Input: map[string]any{"file_path": path, "content": content}}
}

// Bash is a call that runs a shell command and waits for it.
func Bash(command string) Tool {
	return Tool{Name: "Bash", Input: map[string]any{"command": command, "description": "scripted command"}}
}

// Agent is a call of a sub-agent that plays the named script while its caller waits.
func Agent(script string) Tool {
	return Tool{Name: "Agent", Input: map[string]any{
		"description": script, "prompt": "[[script:" + script + "]] do it",
		"subagent_type": "general-purpose", "run_in_background": false,
	}}
}

// Background makes a call of [Bash] or [Agent] return at once and work on behind.
func Background(call Tool) Tool {
	input := map[string]any{}
	if given, ok := call.Input.(map[string]any); ok {
		input = maps.Clone(given)
	}
	input["run_in_background"] = true
	call.Input = input
	return call
}

package driver

// The tools of Claude Code that scripts in Go use most. Paths are relative to the working directory, or begin with
// "${REPO}/".

// Write returns a call that writes a whole file.
func Write(path, content string) Tool {
	return Tool{Name: "Write", Input: map[string]any{"file_path": path, "content": content}}
}

// Bash returns a call that runs a shell command and waits for it.
func Bash(command string) Tool {
	return Tool{Name: "Bash", Input: map[string]any{"command": command, "description": "scripted command"}}
}

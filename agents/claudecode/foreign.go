package claudecode

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// otherClient reports whether the hook was run by another client that reads Claude's settings. Copilot CLI runs the
// hooks of `.claude/settings.json` and `settings.local.json` with payloads in Claude's form but without tool call ids.
// Cursor can import these hooks. These clients have git-trace hooks of their own; a record from Claude's hooks would
// name the wrong agent.
//
// Child processes inherit the environment, so such a variable may also come from a shell of the other client in which a
// person started Claude Code. Claude Code sets its session id in the environment of its hooks. If that is the session
// of the payload, the call is from Claude Code.
func (c *Client) otherClient(session string) bool {
	if c.env.Lookup("CLAUDE_CODE_SESSION_ID") == session {
		return false
	}
	for _, mark := range []string{"COPILOT_CLI", "CURSOR_VERSION"} {
		if c.env.Lookup(mark) != "" {
			return true
		}
	}
	return false
}

// sessionEntry is the end of the variable name with which clients pass the session id to their hooks.
const sessionEntry = "_SESSION_ID"

// clientOf returns the name of the client that ran the hook. Grok and Devin also read Claude's settings, and have no
// git-trace hooks of their own. The variable with the session id has the client's name in its own name. Visual Studio
// Code has no such variable, but names its own transcript. Or it has the common members in camel case and the members
// of a call in snake case.
func (c *Client) clientOf(session, transcript string, data []byte) string {
	if c.env.Lookup("CLAUDE_CODE_SESSION_ID") == session || c.env.Environ == nil {
		return Name
	}
	for _, entry := range c.env.Environ() {
		key, value, _ := strings.Cut(entry, "=")
		stem, found := strings.CutSuffix(key, sessionEntry)
		if name := strings.ToLower(strings.ReplaceAll(stem, "_", "-")); found && value == session && clientName(name) {
			return name
		}
	}
	if strings.Contains(transcript, "GitHub.copilot-chat") {
		return editorName
	}
	if bytes.Contains(data, []byte(`"sessionId"`)) && bytes.Contains(data, []byte(`"hookEventName"`)) &&
		bytes.Contains(data, []byte(`"tool_name"`)) {
		return editorName
	}
	return Name
}

// editorName is the name of Copilot in Visual Studio Code.
const editorName = "copilot-vscode"

// editorHooks reports whether Visual Studio Code also runs git-trace's hooks in Copilot CLI's files, which report more.
func (c *Client) editorHooks(cwd string) bool {
	for _, dir := range []string{filepath.Join(cwd, ".github"), filepath.Join(c.env.Home, ".copilot")} {
		if _, err := os.Lstat(filepath.Join(dir, "hooks", "git-trace.json")); err == nil {
			return true
		}
	}
	return false
}

// clientName reports whether a name can be the name of a client.
func clientName(name string) bool {
	return len(name) > 1 && len(name) <= 32 && strings.Trim(name, "-") == name &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
}

package claudecode

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// otherClient reports whether another client that reads Claude's settings ran the hook. Copilot CLI runs the hooks of
// `.claude/settings.json` and `settings.local.json` with payloads of Claude's shape but without tool call ids; Cursor
// can import them. Their own hooks record them, and as Claude's they would be attributed to the wrong agent.
//
// Processes inherit the environment, so such a mark may also come from a shell of that client, in which a person
// started Claude Code. Claude Code names its own session in the environment of its hooks; if that is the payload's
// session, the call is its own.
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

// sessionEntry is the end of the name of the entry in which clients give their hooks the session.
const sessionEntry = "_SESSION_ID"

// clientOf names the client that ran the hook: Grok and Devin read Claude's settings, too, and have no hooks of ours.
// The entry of the environment that holds the session's id has the client's name. Visual Studio Code, which has no
// such entry, names a transcript of its own. Or it writes the names of the common members in camel case and the names
// of a call's members in snake case.
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

// editorName is Copilot in Visual Studio Code.
const editorName = "copilot-vscode"

// editorHooks reports whether Visual Studio Code also runs our hooks in the files of Copilot CLI, which report more.
func (c *Client) editorHooks(cwd string) bool {
	for _, dir := range []string{filepath.Join(cwd, ".github"), filepath.Join(c.env.Home, ".copilot")} {
		if _, err := os.Lstat(filepath.Join(dir, "hooks", "git-trace.json")); err == nil {
			return true
		}
	}
	return false
}

// clientName reports whether an entry's name may belong to a client.
func clientName(name string) bool {
	return len(name) > 1 && len(name) <= 32 && strings.Trim(name, "-") == name &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
}

package claudecode

// otherClient tells whether the hook was run by another client that reads Claude's settings. Copilot CLI runs the hooks
// of `.claude/settings.json` and `settings.local.json` with payloads of Claude's shape but without tool call ids;
// Cursor can import them. What they do is recorded by their own hooks, and as Claude's it would be attributed to the
// wrong agent.
//
// The environment is inherited, so that a mark of such a client may also mean that Claude Code was started from its
// shell. Claude Code names its own session in the environment of its hooks; where that is the payload's session, the
// call is its own.
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

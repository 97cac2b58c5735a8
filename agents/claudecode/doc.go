// Package claudecode connects git-trace with Claude Code: it decodes what Claude's hooks send into boundaries, finds
// out what became of a tool call that ended without a hook, and installs the hooks.
//
// The package relies on these facts, measured with the client (2.1.328, and session files since 2.0):
//
//   - Hooks are synchronous: at PreToolUse the file is old, at PostToolUse it is new. A PreToolUse without a
//     PostToolUse is normal: a refused permission, Esc, a signal and a blocking hook all end a call without one.
//   - Inside a subagent session_id and transcript_path are the parent's; agent_id tells the subagents apart.
//   - tool_response.originalFile is the file as Claude read it: with CRLF turned into LF, and null where it is too long
//     in some versions. So a whole content in a boundary may differ from the file in its line ends; lines compare,
//     bytes may not.
//   - tool_response.structuredPatch is made for display and turns leading tabs into spaces. It is not used.
//   - A call that Esc ended while it ran has the same text in the session file as one refused before it ran; only
//     toolDenialBeforeRun, written by newer clients, tells the two apart.
//
// Only declared contents of edits, the prompt, ids and paths leave the package from a payload; command lines are
// searched for paths and dropped.
package claudecode

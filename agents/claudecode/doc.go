// Package claudecode connects git-trace with Claude Code: it decodes Claude's hook payloads into boundaries, finds out
// how a tool call ended that had no final hook, and installs the hooks.
//
// The package relies on these facts, which were measured with the client (2.1.328, and session files since 2.0):
//
//   - Hooks are synchronous: at PreToolUse the file is unchanged, at PostToolUse it is changed. A PreToolUse without a
//     PostToolUse is normal: a refused permission, Esc, a signal or a blocking hook can end a call.
//   - Inside a subagent, session_id and transcript_path are those of the parent; agent_id identifies the subagent.
//   - tool_response.originalFile is the file as Claude read it: with LF instead of CRLF, and in some versions null if
//     the file is too long. So a whole content in a boundary may differ from the file in its line ends: compare lines,
//     not bytes.
//   - tool_response.structuredPatch is made for display and has spaces instead of leading tabs. It is not used.
//   - A call that Esc stopped while it ran has the same text in the session file as a call that was refused before it
//     ran. Only toolDenialBeforeRun, which newer clients write, distinguishes them.
//
// From a payload, the package passes on only the declared contents of edits, the prompt, ids and paths; command lines
// are searched for paths and dropped.
package claudecode

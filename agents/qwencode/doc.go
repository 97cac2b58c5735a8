// Package qwencode supports Qwen Code: the payloads and the installation of its hooks, and the content and location of
// its session files.
//
// The package relies on these facts, which were measured with the client (0.24.4):
//
//   - Hooks have the names and the form of Claude Code's, and the tools of Gemini CLI. tool_call_id is the model's id
//     of a call. tool_use_id is a different id, made for the hooks; in PostToolBatch it is the model's id.
//   - UserPromptSubmit also comes after every batch of tools, with an empty prompt: that is not a prompt.
//   - After a tool wrote a file, the payload has the file before and after.
//   - Only SessionStart names the model; later models are in the last answers of the session file.
//   - Subagents are announced, and their calls have agent_id. Their files name no model. The session's file does, in
//     the client's own notes about each answer, sometimes only after the call has started.
//   - There is no SessionEnd in print mode. Settings of a project are read only if Qwen is started in its root.
//
// Qwen Code is a fork of Gemini CLI and uses its parts, calls and responses, but has different files. A session is
// ~/.qwen/projects/<directory>/chats/<session>.jsonl, with one record on each line in an envelope like Claude Code's. A
// subagent's file is subagents/<session>/agent-<kind>-<call>.jsonl, next to the chats.
package qwencode

// Package qwencode knows Qwen Code: what its hooks send and where they are installed, what its session files contain,
// and where it keeps them.
//
// The package relies on these facts, measured with the client (0.24.4):
//
//   - Hooks have the names and the shape of Claude Code's and the tools of Gemini CLI. tool_call_id is the model's id
//     of a call; tool_use_id is another one, made up for the hooks, and in PostToolBatch the first again.
//   - UserPromptSubmit comes also after every batch of tools, with an empty prompt: that is not a prompt.
//   - After a tool wrote a file the payload holds the file as it was and as it is.
//   - Only SessionStart names the model; later ones are those of the last answer in the session file.
//   - Sub-agents are announced, and their calls carry agent_id. Their files name no model; the session's file does, in
//     what the client notes of each answer for itself, sometimes after the call has begun.
//   - There is no SessionEnd in its print mode. Settings of a project are read only where Qwen is started at the top of
//     it.
//
// Qwen Code comes from Gemini CLI and keeps its parts, calls and responses; its files are its own. A session is
// ~/.qwen/projects/<directory>/chats/<session>.jsonl, one record a line in an envelope like Claude Code's; a subagent
// has subagents/<session>/agent-<kind>-<call>.jsonl beside the chats.
package qwencode

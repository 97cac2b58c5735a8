// Package qwencode knows Qwen Code: what stands in its session files, and where it keeps them.
//
// Qwen Code comes from Gemini CLI and keeps its parts, calls and responses; its files are its own. A session is
// ~/.qwen/projects/<directory>/chats/<session>.jsonl, one record a line in an envelope like that of Claude Code; a subagent has
// subagents/<session>/agent-<kind>-<call>.jsonl beside the chats.
package qwencode

// Package copilotcli knows GitHub Copilot CLI: what stands in its session files, and where it keeps them.
//
// A session is ~/.copilot/session-state/<session>/events.jsonl, one event a line. An answer of the model is one event, its tokens
// another, joined by the id of the request; a call is announced in the answer and told again when it begins and ends.
// Subagents are told in the same file, their events marked with the subagent's id.
package copilotcli

// Package copilotcli supports Copilot CLI: the payloads and the installation of its hooks, and the content and location
// of its session files.
//
// The package relies on these facts, which were measured with the client (1.0.102):
//
//   - Tool events have neither the id of the call nor the path of the session file. For parallel calls, all preToolUse
//     events come first with the same time; then the calls run in parallel.
//   - A failed command counts as a success; postToolUseFailure is for tools that could not do their work.
//   - A subagent's calls have the subagent's id as sessionId and agentId, and the id of the session as parentAgentId.
//     In a nested subagent, parentAgentId is the id of the outer subagent; subagentStart and subagentStop name the file
//     of the conversation. A subagent's task also comes as userPromptSubmitted, but is not a prompt.
//   - Events with names in camel case have payloads in camel case; in older versions, toolArgs is JSON text.
//   - No payload names the model. The session file names it, but is written late: if it does not contain a call yet,
//     the model is unknown.
//   - Hooks of a repository are read only if Copilot is started in its root.
//   - Copilot waits until no process holds the standard streams of a hook.
//
// Copilot also runs the hooks in a project's Claude Code settings; package claudecode ignores these calls.
//
// A session is ~/.copilot/session-state/<session>/events.jsonl, with one event on each line. An answer of the model is
// one event and its tokens another, with the same request id. A call is announced in the answer, and reported again
// when it starts and ends. Subagents are in the same file; their events have the subagent's id.
package copilotcli

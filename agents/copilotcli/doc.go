// Package copilotcli knows Copilot CLI: what its hooks send and where they are installed, what its session files
// contain, and where it keeps them.
//
// The package relies on these facts, measured with the client (1.0.102):
//
//   - Tool events have no id of the call and no path of the session file. Of parallel calls all preToolUse come first
//     and carry one time stamp; the calls run in parallel.
//   - A command that fails counts as a success; postToolUseFailure is for tools that could not do their work.
//   - A sub-agent's calls have its own id as sessionId and agentId, and the session it belongs to as parentAgentId. A
//     sub-agent of its own has its id there; subagentStart and subagentStop name the file of the conversation. Its task
//     also comes as userPromptSubmitted, and is not a prompt.
//   - Events named in camel case have payloads in camel case; older versions give toolArgs as JSON text.
//   - No payload names the model. The session file does, but is written behind: it says nothing of a call that it does
//     not hold yet.
//   - Hooks of a repository are read only where it is started at the top of it.
//   - It waits until no process holds the standard streams of a hook any more.
//
// Copilot also runs the hooks in Claude Code's settings of a project; package claudecode keeps quiet then.
//
// A session is ~/.copilot/session-state/<session>/events.jsonl, one event a line. An answer of the model is one event,
// its tokens another, joined by the id of the request; a call is announced in the answer, and reported again when it
// begins and ends. Subagents are in the same file, their events marked with the subagent's id.
package copilotcli

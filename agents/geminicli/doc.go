// Package geminicli supports Gemini CLI: the payloads and the installation of its hooks, and the content and location
// of its session files.
//
// The package relies on these facts, which were measured with the client (0.61.0):
//
//   - Hooks are synchronous. BeforeTool and AfterTool do not have the id of the call. Of an answer's calls,
//     neighbouring shell commands run in parallel, all others one after the other. AfterTool also comes for a failed
//     call.
//   - After a tool wrote a file, the payload has the file before and after.
//   - No payload names the model; the answer with a call is in the session file before the call's hook runs.
//   - Settings of a project are read only if Gemini is started in its root. Its hooks run only if the folder is
//     trusted. Time limits are in milliseconds.
//   - Hooks of a subagent's calls look like hooks of the main conversation. The subagent's own file shows when it waits
//     for its calls. If calls of an answer run in parallel, BeforeTool comes for all of them before the first one
//     starts. So the main conversation starts no call while a subagent runs. A subagent starts no other subagent.
//   - PreCompress comes before every request to the model and is not installed.
//
// A session is one file, ~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl: a line about the session, then
// messages. A message that is written again replaces the earlier one, {"$set": …} changes the session, and
// {"$rewindTo": …} undoes messages. Versions up to 0.3x stored one JSON document, session-….json, with the messages in
// a list. Both forms are read, the document element by element. Subagents have separate files in a folder with the name
// of the session.
//
// The session file does not name the directory. The directory is in a neighbouring file, .project_root, and in the
// client's text for the model.
package geminicli

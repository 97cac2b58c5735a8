// Package geminicli knows Gemini CLI: what its hooks send and where they are installed, what its session files contain,
// and where it keeps them.
//
// The package relies on these facts, measured with the client (0.61.0):
//
//   - Hooks are synchronous. BeforeTool and AfterTool have no id of the call. Of parallel calls neighbouring shells run
//     in parallel, all others one after the other. AfterTool comes also for a call that failed.
//   - After a tool wrote a file the payload holds the file as it was and as it is.
//   - No payload names the model; the answer that holds a call is in the session file before the call's hook runs.
//   - Settings of a project are read only where Gemini is started at the top of it. Its hooks run only if the folder is
//     trusted. Time limits are in milliseconds.
//   - Hooks of a sub-agent's calls look like hooks of the main conversation. Its own file says when it waits for its
//     calls. Where calls of an answer run in parallel, BeforeTool of all comes before the first of them begins. So the
//     main conversation begins no call while a sub-agent is running. A sub-agent starts no other one.
//   - PreCompress comes before every request to the model and is not asked for.
//
// A session is one file, ~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl: a line about the session, then
// messages; a message that is written again replaces itself, {"$set": …} changes what the session is, {"$rewindTo": …}
// takes the user back. Versions up to 0.3x kept one JSON document, session-….json, with the messages in a list. Both
// are read, the document element by element. Subagents have a file of their own in a folder named after the session.
//
// The file does not contain the directory. The directory is next to the file, in .project_root, and in the client's
// text for the model.
package geminicli

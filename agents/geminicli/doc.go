// Package geminicli knows Gemini CLI: what stands in its session files, and where it keeps them.
//
// A session is one file, ~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl: a line about the session, then messages; a
// message that is written again replaces itself, {"$set": …} changes what the session is, {"$rewindTo": …} takes the
// user back. Versions up to 0.3x kept one JSON document, session-….json, with the messages in a list. Both are read, the
// document element by element. Subagents have a file of their own in a folder named after the session.
//
// The file does not tell the directory. It stands beside it, in .project_root, and in what the client tells the model.
package geminicli

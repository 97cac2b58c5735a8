// Package cline reads the conversations of Cline and of its fork Roo Code.
//
// Both have a folder for each task, tasks/<id>, in the editor's global storage. In it, api_conversation_history.json is
// the conversation as the model saw it, a JSON array of messages. ui_messages.json has the user's view, and is the only
// source of token counts. If only this file was kept, the conversation is read from it. Newer versions of Cline store a
// session as one document, sessions/<id>/<id>.messages.json, with a manifest next to it. All these files are rewritten
// with each change, so each reading starts from the beginning.
//
// The package relies on these facts:
//
//   - In a session's document, the tokens of a prompt include cache reads and writes; in ui_messages.json they do not.
//   - In older versions, the model writes a call as XML in its answer: at most one, at the end. Newer versions have
//     separate calls, and then no text is treated as a call.
//   - The user's words are in tags (task, feedback, answer), next to the client's additions.
//   - A task of Roo starts a subtask with new_task and waits for it. The result names the subtask; the subtask's
//     history_item.json names the parent. The subtask's steps follow the step with the call. If the parent does not
//     mention the subtask, the subtask is a separate conversation with metadata.parent_session.
//   - A forked session begins with copies of the other session's messages; they are left out if that session exists.
//
// Cline runs a program for each event, from a file with the name of the event. The files are in ~/.cline/hooks, and in
// .cline/hooks of the directory in which Cline is started. The package relies on these facts about the hooks, which
// were observed with version 3.0.65:
//
//   - Cline waits for PreToolUse and PostToolUse, and for no other hook. Their payloads have the id of a call, and say
//     whether it failed.
//   - A file is run with the interpreter in its first line and need not be executable.
//   - The session is rootSessionId, and its manifest names the model.
package cline

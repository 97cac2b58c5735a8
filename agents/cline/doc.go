// Package cline reads the conversations of Cline and of Roo Code, which grew out of it.
//
// Both keep a folder for each task below the global storage of the editor, tasks/<id>: api_conversation_history.json is
// the conversation as the model had it, a JSON array of messages. ui_messages.json holds the user's view, and alone
// tells the tokens; where only it was kept, the conversation is read from it. Cline's newer versions keep a session as
// one document, sessions/<id>/<id>.messages.json, with a manifest beside it. All of these are rewritten with each
// change, so that a reading begins at their beginning.
//
// The package relies on these facts:
//
//   - In a session's document the tokens of a prompt include what the cache gave and took; in ui_messages.json they
//     do not.
//   - Older versions have the model write calls as XML in its answer; there is one at most, at the end. Newer ones
//     have calls of their own, and then no text is taken for one.
//   - The user's words are in tags (task, feedback, answer); the client's additions are next to them.
//   - A task of Roo starts a subtask with new_task and waits for it. The result names the subtask; the subtask's
//     history_item.json names the parent. Its steps follow the one with the call. A subtask that its parent does not
//     mention is a separate conversation, and metadata.parent_session is its parent.
//   - A forked session begins with copies of the other session's messages; they are left out where that session is
//     there.
//
// Cline runs a program for each event, from files that are named after them. They lie in ~/.cline/hooks, and in
// .cline/hooks where it is started. The package relies on these facts about the hooks, observed with version 3.0.65:
//
//   - It waits for PreToolUse and PostToolUse, and for no other. They have the id of a call, and say whether it failed.
//   - A file is run by what its first line names; nobody has to make it executable.
//   - The session is rootSessionId, and its manifest names the model.
package cline

// Package cline reads the conversations of Cline and of Roo Code, which grew out of it.
//
// Both keep a folder for each task below the global storage of the editor, tasks/<id>:
// api_conversation_history.json is the conversation as the model had it, a JSON array of messages. ui_messages.json is
// what the user saw, and alone tells the tokens. Cline's newer versions keep a session as one document,
// sessions/<id>/<id>.messages.json, with a manifest beside it. All of these are written anew with each change, so
// that a reading begins at their beginning.
//
// What is relied on:
//
//   - In a session's document the tokens of a prompt include what the cache gave and took; in ui_messages.json they
//     do not.
//   - Older versions have the model write calls as XML in its answer; there is one at most, at the end. Newer ones
//     have calls of their own, and then no text is taken for one.
//   - The user's words stand in tags (task, feedback, answer); what the client adds stands beside them.
//   - A forked session begins with copies of the other session's messages; they are left out where that session is
//     there.
//
// Neither calls a hook that git-trace installs. Cline runs scripts in .clinerules/hooks; that is not used yet.
package cline

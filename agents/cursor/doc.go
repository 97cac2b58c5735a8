// Package cursor knows Cursor, the editor's agent and its command line alike: their hooks' payloads, and their places.
//
// This package relies on the maker's documentation (cursor.com/docs/hooks), not on measurements: the client works only
// with an account. preToolUse and postToolUse come for every tool and have its id; conversation_id is the session,
// generation_id the prompt. Paths of Windows are given as "/c:/…". Fields that another version names otherwise are
// taken for absent: then a call has no declared path and may have written anywhere.
//
// Its transcripts are read too. They have messages and calls, but no times, models or results: an edit counts as made.
//
// Conversations without a transcript are read from the editor's own database, globalStorage/state.vscdb, as others have
// described it; no real one was seen. Its table cursorDiskKV has a key for each conversation and for each message, and
// the texts of edited files under keys of their own. Only the databases of workspaces have the folder of a
// conversation. The database can be large: conversations are found by its index.
//
// afterTabFileEdit reports a completion that a person accepted: the edits, each with its range and the line in its old
// and new form. The buffer need not be saved. Completions are a conversation of their own.
//
// Cursor can also run the hooks in Claude Code's settings; package claudecode keeps quiet then.
package cursor

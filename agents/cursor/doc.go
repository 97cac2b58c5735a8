// Package cursor supports Cursor, both the editor's agent and the command line: the payloads of their hooks, and their
// files.
//
// The package relies on the maker's documentation (cursor.com/docs/hooks) and not on measurements, because the client
// works only with an account. preToolUse and postToolUse come for every tool and have the id of the call;
// conversation_id is the session, generation_id the prompt. Windows paths have the form "/c:/…". Fields that another
// version names differently count as missing: the call then has no declared path and may have written anywhere.
//
// The package also reads transcripts. They have messages and calls, but no times, models or results: an edit counts as
// made.
//
// Conversations without a transcript are read from the editor's database, globalStorage/state.vscdb, as described by
// others; no real one was examined. Its table cursorDiskKV has a key for each conversation and each message; the texts
// of edited files have separate keys. The folder of a conversation is in workspace.json, beside the database of its
// workspace. The database can be large, so conversations are found through its index.
//
// afterTabFileEdit reports a completion that a person accepted: the edits, each with its range and the line before and
// after. The buffer may be unsaved. Completions are a separate conversation.
//
// Cursor can also run the hooks in Claude Code's settings; package claudecode ignores these calls.
package cursor

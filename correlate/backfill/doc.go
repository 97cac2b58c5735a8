// Package backfill finds the conversations that wrote the lines of commits without a hook. It reads the session files
// of agents.
//
// It goes by content:
//
//   - The result of each edit is computed as whole lines. The agent's hunks may give them. Otherwise the edit is
//     repeated on the content that the file had, as far as earlier edits and the history show it.
//   - The lines that a commit added are compared with the lines of edits to the same path, in whatever directory.
//     Consecutive lines that agree make a run. A run counts if it is distinctive, and a line that occurs everywhere is
//     not: "}" is not evidence.
//   - A line that was written once is found once on each branch of history, unless it was removed in between.
//
// Times decide only if contents cannot. A commit never gets a line that was written later. Sessions dated after all
// commits are judged without times, and more strictly.
//
// A session in another directory must first prove that it belongs to the repository. Its paths must fit below one root,
// and distinctive lines of it must be in commits. Most of its lines must be there, unless its edits replaced texts of
// the history.
//
// The package writes nothing. Lines that it does not find stay unknown.
package backfill

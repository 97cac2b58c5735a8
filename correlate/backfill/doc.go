// Package backfill finds the conversations that wrote the lines of commits without a hook. It reads the session files
// of agents.
//
// It compares contents:
//
//   - The result of each edit is computed as whole lines. The edit is repeated on the content that the file had, as far
//     as earlier edits and the history show it. If it does not fit there, hunks that the agent recorded give the lines.
//   - The lines that a commit added are compared with the lines of edits to the same path, in any directory. Equal
//     consecutive lines make a run. A run counts if it is distinctive. A line that occurs everywhere, such as "}", is
//     not distinctive.
//   - A line that was written once is found once on each branch of history, unless a commit removes it in between.
//
// Times decide only if contents cannot. A commit never gets a line that was written more than ten minutes later, if the
// edit has a time. Sessions dated after all commits are judged without times, and by stricter rules.
//
// A session in another directory must first prove that it belongs to the repository. Its paths must fit below one root,
// and commits must have distinctive lines of it. Commits must have most of its lines, unless its edits replaced texts
// of the history.
//
// The package writes nothing. Lines that it does not find stay unknown.
package backfill

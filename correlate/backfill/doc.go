// Package backfill finds the conversations behind the lines of commits that no hook reported. It reads the session
// files of agents.
//
// It goes by content:
//
//   - What each edit wrote is worked out as whole lines. The agent may say it of its hunks. Otherwise the edit is made
//     again on what the file held, as far as earlier edits and the history tell that.
//   - The lines that a commit added are laid beside the lines of edits to the same path. It does not matter what
//     directory the path was in. Lines that agree one after the other make a run; a run counts if it says something,
//     for lines that stand everywhere do not: "}" is not evidence.
//   - A line that was written once lands once on each line of history, unless it was taken away in between.
//
// Clocks decide only where content leaves it open. A commit never holds a line that was written after it; sessions that
// are dated after all commits are judged without a clock, and more strictly.
//
// A session that was held in another directory must first be shown to belong to the repository: its paths must fit
// below one root, what it replaced must be what the history holds there, and what it wrote must have landed.
//
// Nothing is written here. What is not found stays unknown.
package backfill

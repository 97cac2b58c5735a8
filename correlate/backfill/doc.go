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
// Times decide only if contents cannot. A commit never has a line that was written later. Sessions dated after all
// commits are judged without times, and more strictly.
//
// A session in another directory must first prove that it belongs to the repository. Its paths must fit below one root,
// its replaced texts must be in the history there, and its written lines must be in commits.
//
// The package writes nothing. Lines that it does not find stay unknown.
package backfill

// Package weave removes the changes of one writer from the history of a file.
//
// A [Weave] holds, in one order, every line that the file has had since the writer's first change. For each line it
// knows whether the writer wrote it, and who removed it. [Weave.Without] returns the file as if the writer had changed
// nothing: their lines go, and the lines that they removed come back in their places.
//
// It promises:
//
//   - A line of the present file that somebody else wrote is always in the result.
//   - A line that only the writer removed is in the result.
//   - Without a conflict, the result has no line of the writer.
//
// The result has both versions between conflict markers, as git writes them (git-merge-file(1)), in these cases:
//
//   - Somebody changed a line of the writer.
//   - Somebody removed all lines that the writer had put in place of another line.
//   - Somebody added a line exactly where the writer had removed lines.
//   - Somebody replaced the lines around removed lines.
//
// Unlike in git, a line directly before or after a line of the writer is not a conflict: its place is known.
//
// The package is pure: no files, no processes. The same input gives the same result.
package weave

// Package weave removes the changes of one writer from the history of a file.
//
// A [Weave] holds every line that the file ever had since the writer's first change, in one order. Each line knows
// whether the writer wrote it, and who took it away. [Weave.Without] then reads the file that would be there if the
// writer had changed nothing: their lines go, and the lines that they removed come back at their place.
//
// It promises:
//
//   - A line of the present file that somebody else wrote is in the result, whatever happens.
//   - A line that only the writer removed is in the result.
//   - Without a conflict the result has no line of the writer.
//
// If the place or the fate of a line is unknown, both versions are written between conflict markers, as by git
// (git-merge-file(1)):
//
//   - Somebody changed a line of the writer.
//   - Somebody removed all lines that the writer had put in place of another line.
//   - Somebody added a line exactly where the writer had removed lines.
//   - Somebody replaced the lines around removed lines.
//
// A line directly before or after a line of the writer is not a conflict, unlike in git: its place is known.
//
// The package is pure: no files, no processes. The same input gives the same result.
package weave

// Package restore brings back files of the work tree as a snapshot has them.
//
// Make compares a snapshot with what the work tree has now and says what would be done. Do does it. A file comes back
// with its content, as git would check it out, and with its mode. A link comes back as a link. A file that was not
// there then is deleted where it is named itself. It stays where only a directory above it is named.
//
// It promises:
//
//   - Nothing but the named paths is written. The index, HEAD and what git ignores stay as they are.
//   - Nothing is written through a link, into a submodule, or into another repository.
//   - What is in no commit, not in the index and in no snapshot is told ([Plan.Unsaved]) before it is replaced.
//   - All files change or none: contents are made beside the files first and take their places by rename. What was
//     replaced goes back when one of them fails.
//   - A process that is killed may leave some files changed and others not, and files named .git-trace-*. Nothing is
//     lost: what was there is in the snapshot. The next restore clears up ([Begin]), and the same one ends the work.
//
// Who wrote the lines that come back is for package trails ([trails.Engine.Announce]).
package restore

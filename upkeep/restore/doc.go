// Package restore brings back files of the work tree as a snapshot has them.
//
// Make compares a snapshot with the work tree and plans the changes. Do makes them. A file comes back with its content,
// as git would check it out, and with its mode. A link comes back as a link. A file that did not exist then is deleted
// if it is named itself, and stays if only a directory above it is named.
//
// It promises:
//
//   - Nothing but the named paths is written. The index, HEAD and what git ignores stay as they are.
//   - Nothing is written through a link, into a submodule, or into another repository.
//   - Content that is in no commit, not in the index and in no snapshot is listed ([Plan.Unsaved]) before it is
//     replaced.
//   - All files change or none: contents are made beside the files first and take their places by rename. If one of
//     them fails, the replaced contents come back.
//   - A process that is killed may leave some files changed and others not, and files named .git-trace-*. Nothing is
//     lost: the former contents are in the snapshot. The next restore clears up ([Begin]), and repeating the same
//     restore completes it.
//
// Package trails finds the owners of the restored lines ([trails.Engine.Announce]).
package restore

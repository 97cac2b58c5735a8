// Package restore brings files of the work tree back to the state of a snapshot.
//
// Make compares a snapshot with the work tree, and plans the changes. Do makes them. A file gets back its content, as
// git would check it out, and its mode. A link is restored as a link. A file that the snapshot does not have is deleted
// if the file itself is named. It stays if only a directory above it is named.
//
// It promises:
//
//   - Only the named paths are written. The index, HEAD and ignored files do not change.
//   - Nothing is written through a link, into a submodule, or into another repository.
//   - If present content is not in HEAD, the index or a snapshot, the plan lists it before it is replaced
//     ([Plan.Unsaved]).
//   - Either all files change, or none does. New contents are written beside the files, then renamed. If one rename
//     fails, the former contents come back.
//   - A killed process may leave some files changed and others not, and files named .git-trace-*. Nothing is lost,
//     since the snapshot taken before has the former contents. The next restore clears up ([Begin]). Repeating the same
//     restore completes it.
//
// Package trails finds the owners of the restored lines ([trails.Engine.Announce]).
package restore

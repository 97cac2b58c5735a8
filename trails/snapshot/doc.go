// Package snapshot names the content of a whole work tree at an instant: the id of the tree that `git add -A &&
// git write-tree` would give through a scratch index, bit for bit.
//
// It promises that the user's index (bytes and time stamp), work tree, HEAD and stash stay untouched. Ignored files are
// never read, and no special file is opened. Every tree and every newly hashed blob is in the side object store before
// its id is handed out.
//
// Two methods give the same tree. git-trace's own compares lstat(2) with a state file, and reads a directory only when
// its time stamp moved. It hashes only what changed and rewrites only the trees above it. It asks git which new names
// are ignored (git-check-ignore(1)). It also asks for the result of filters and line-ending rules (git-update-index(1)
// on a small private index). The other one, a persistent scratch index of git, serves the cases that the first leaves
// alone: sparse checkouts, submodules and embedded repositories, assume-unchanged entries, names git would refuse,
// systems without lstat. The reason is kept in the state and checked again when its cause is gone.
//
// It does not lock: one engine per work tree at a time is the caller's duty. It does not expire stored objects. A
// snapshot is not a moment frozen in time: a file that changes while it is read is read again next time.
package snapshot

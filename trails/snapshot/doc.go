// Package snapshot records the content of a whole work tree at one moment, as the id of a git tree. It is exactly the
// id that `git add -A && git write-tree` with a scratch index would give.
//
// The package does not change the user's index (bytes and time stamp), work tree, HEAD or stash. Of ignored files it
// reads only those with rules (.gitignore, .gitattributes), and it never opens special files. Before it returns the id
// of a tree, the tree and every newly hashed blob are in the side object store.
//
// Two methods give the same tree. git-trace's own method compares lstat(2) with a state file, and lists a directory
// only if its time stamp changed. It hashes only changed files, and rewrites only the trees above them. It asks git
// which new names are ignored (git-check-ignore(1)), and for the result of filters and line-ending rules
// (git-update-index(1) on a small private index). The other method, git on a copy of the user's index, is for cases
// that the first does not support: sparse checkouts, submodules and embedded repositories, assume-unchanged entries,
// names that git would refuse, systems without lstat. The state holds the reason, which is checked again when its cause
// is gone.
//
// The package does not lock: callers must use only one engine per work tree at a time. It does not remove old objects.
// It does not freeze the work tree: a file that changes while it is read is read again by the next snapshot.
package snapshot

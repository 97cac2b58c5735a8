// Package recorded keeps the list of the repositories that a user records. The list is in the user's state directory,
// outside of every repository. So no file in a clone, an archive or a work tree can decide whether a hook opens the
// repository.
//
// An entry is a file that is named by a hash of the real path of the common git directory. It contains the inode number
// of that directory and a random mark. The repository has the same mark in traces/recording. A repository is on the
// list if three facts agree: the path, because a copy is not the original; the inode number, because an archive may be
// unpacked where a repository was deleted; and the mark, because file systems reuse inode numbers. The device number is
// stored but does not decide, because it changes whenever a file system is mounted again.
//
// If a repository was moved, its entry is moved too: three facts that no copy can share show that the git directory is
// the same (takeOver). The list may be in several places, because agents may give their hooks another environment
// (stateDirs). A hook that cannot record leaves a note outside of the repository (NoteMissed).
//
// Hooks call Open. If a repository is not on the list, Open reads only the files of discovery (refs.FindHook: HEAD, a
// .git file, commondir) and the mark, and starts no process. It also checks that the repository itself knows the way by
// which it was found: a .git file, a link or a commondir file elsewhere may name a git directory that is on the list.
//
// The list is not secret. It does not protect against a program that can write the user's files or the git directory
// itself. Each user of a shared repository has their own list. Hooks only read the list. Commands of the user call Add
// and Remove. Each entry is a file that is replaced atomically.
package recorded

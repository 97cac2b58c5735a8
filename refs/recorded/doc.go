// Package recorded is the list of the repositories that a user has recorded. It is kept in the user's state directory,
// outside of every repository. So nothing in a clone, an archive or a work tree decides whether a hook opens it.
//
// An entry is a file named by a hash of the real path of the common git directory. It holds the number of that
// directory on its file system (the inode) and a random mark, which is also in the repository, in traces/recording. A
// repository is on the list if all three agree: the path, because a copy is not the original; the number, because an
// archive may be unpacked where a repository was deleted; the mark, because file systems reuse numbers. The number of
// the device is kept, but does not decide: it changes whenever a file system is mounted again.
//
// A moved repository is taken over: three facts that no copy shares show that its git directory is the same (takeOver).
// The list is searched in several places, because agents may give their hooks another environment (stateDirs). A hook
// that cannot record leaves a note outside of the repository (NoteMissed).
//
// Hooks call Open. If a repository is not on the list, it reads only the files of discovery (refs.FindHook: HEAD, a
// .git file, commondir) and the mark, and starts no process. It also checks that the way there is the repository's own:
// a .git file, a link or a commondir file elsewhere may name a git directory that is on the list.
//
// The list is not a secret, and does not protect against a program that can write the user's files or the git directory
// itself. It is per user: each user of a shared repository has their own. Hooks only read it; Add and Remove are for
// the commands of a user, and each entry is a file that is replaced at once.
package recorded

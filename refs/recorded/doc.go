// Package recorded is the list of the repositories that a user has recorded. It is kept in the user's state directory,
// outside of every repository. So nothing in a clone, an archive or a work tree decides whether a hook opens it.
//
// An entry is a file named by a hash of the real path of the common git directory. It holds the number of that
// directory on its file system (the inode) and a random mark, which the repository holds, too, in traces/recording. A
// repository is on the list when all three are the same: the path, so that a copy is not taken for the original; the
// number, so that neither is what was unpacked in the place of one that was deleted; the mark, because file systems
// give free numbers away again. The number of the device is kept, and does not decide: it changes whenever a file
// system is mounted again.
//
// A repository that was moved is taken over: the system tells that its git directory is the same one by three things
// that no copy has (takeOver). The list is looked for in more places than one, since agents give their hooks another
// environment (stateDirs). A hook that cannot record says so in a note outside of the repository (NoteMissed).
//
// Open is what hooks call. It promises that of a repository that is not on the list nothing is read but what discovery
// read (refs.FindHook: HEAD, a .git file, commondir) and the mark, and that no process is started for it. It also
// holds that the way there is the repository's own: a .git file, a link or a commondir file elsewhere may name a git
// directory that is on the list.
//
// The list is not a secret and not a protection against whoever can write the user's files or the git directory itself.
// It is per user: each one of a shared repository puts it on their own. Hooks only ask; Add and Remove are for the
// commands of a user, and each entry is a file that is replaced at once.
package recorded

// Package refs contains all access to git: finding the repository, its objects, refs and configuration, and the git
// binary. Packages above this one do not know how git stores data.
//
// The package promises:
//
//   - Discovery follows gitrepository-layout(5) and git(1) (GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR, ceilings, .git
//     files, linked work trees, core.worktree, ownership) without starting a process. It calls git only if the files do
//     not give the answer: for other owners, bare repositories found above the start, unknown repository extensions.
//   - A git process never inherits the variables of a hook or a terminal: Repo.Command sets its whole environment.
//   - A ref that is a file changes only by rename, under git's own <ref>.lock, and only from the value that was read
//     under that lock. Git itself changes refs in other storages. A lock that a killed git-trace process left is
//     removed at once. Any other lock is removed only if it is old and no process can hold it.
//   - Objects are written completely or not at all (temporary file, then rename), to the main or to the side store.
//
// When reading, the package does not check that an object's content matches its id. It does not flush to disk unless
// Repo.Fsync is set. Git by default does neither.
//
// Loose objects are written and read here. go-git's objfile supports only SHA-1 and adds 0.1 ms to the start of every
// hook. It also compresses small objects, although they fill one disk block in any case: this takes 9 µs for an event
// of 500 bytes, and a stored block takes 1.3 µs. Trees and commits are decoded here too, because go-git's types have
// 20-byte ids.
package refs

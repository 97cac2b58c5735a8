// Package refs contains all access to git: the place of a repository, its objects, refs and configuration, and the git
// binary. Nothing above this package knows how git stores things.
//
// It promises:
//
//   - Discovery follows gitrepository-layout(5) and git(1) (GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR, ceilings, gitfiles,
//     linked work trees, core.worktree, ownership) without starting a process; git is asked only where its answer
//     cannot be derived from the files: foreign owners, bare repositories found by walking, unknown repository
//     extensions.
//   - A git child never inherits variables of a hook or a terminal: Repo.Command builds its environment from scratch.
//   - A ref changes only under git's own <ref>.lock and only from the value read under that lock, by rename. A lock
//     that a killed process of ours left is recovered at once. A foreign one is recovered only when it is old and
//     nobody can hold it.
//   - Objects appear whole or not at all (temporary file, then rename), in the main or in the side store.
//
// It does not verify that an object's content matches its id when reading, and it does not flush to disk unless
// Repo.Fsync is set; git does neither by default.
//
// Loose objects are coded here and not with go-git's objfile, which knows SHA-1 only and adds 0.1 ms to the start of
// every hook. It also compresses small objects, which fill one disk block either way: 9 µs for an event of 500 bytes,
// where a stored block takes 1.3. Trees and commits are coded here too, since go-git's models hold 20-byte ids.
package refs

// Package trail follows a patch through the history: its creation, the commits that anchor lines of it, the commits
// that replaced these, and the lines that are left.
//
// The past comes from the log: the patch itself, its anchors, and the rewrites of its commits. The present comes from
// blame. A line is alive if blame credits it to the patch, even if its place, its file's name or its white space has
// changed. A line is changed if another line replaced it; blame knows the previous owner. For all other lines git finds
// the last commit that had them, and so the commit that removed them. If the message of that commit reverts the patch's
// commit, the patch is reverted, otherwise lost.
//
// If the work tree has no line of a patch, and none of its commits is an ancestor of HEAD, other refs are searched. A
// patch is orphaned if none of its commits is on a ref; in a shallow clone this cannot be known. A patch without an
// anchor was never committed.
//
// The package writes nothing and guesses nothing: lines that git does not find are counted without a commit.
package trail

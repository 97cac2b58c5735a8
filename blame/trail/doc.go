// Package trail follows a patch through the history: when it was created, which commits anchor lines of it, which
// commits took their place, and what is left of it.
//
// The past comes from the log: the patch itself, the anchors that name it, the rewritings that name its commits. The
// present comes from blame, so that it cannot drift: a line is alive where blame credits it to the patch. It does not
// matter what stands above it now, what its file is called now, or whether its white space changed. A line whose place
// another took has changed; blame remembers whose it was. The lines in neither group are looked up in the history of
// the commits that anchor them: git tells in which commit it saw them last, and so which one took them away. A commit
// reverted the patch if it says that it reverts the patch's commit; any other lost it.
//
// Where the work tree has nothing of a patch, and no commit of its is an ancestor of HEAD, other refs are asked. A
// patch all of whose commits are on no ref is orphaned, but in a shallow clone, where nobody can know that; one that no
// commit anchors was never committed.
//
// Nothing is written, and nothing is guessed: what git does not tell is counted and left without a commit.
package trail

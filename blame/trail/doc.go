// Package trail follows a patch through the history: when it was created, which commits anchor lines of it, which
// commits replaced them, and what is left of it.
//
// The past comes from the log: the patch itself, its anchors, and the rewritings of its commits. The present comes from
// blame: a line is alive if blame credits it to the patch. Its place, the name of its file and its white space may have
// changed. A line is changed if another line replaced it; blame knows the former owner. For the other lines git finds
// the last commit that had them, and so the commit that removed them. A commit reverted the patch if its message
// reverts the patch's commit; any other commit lost it.
//
// If the work tree has nothing of a patch, and none of its commits is an ancestor of HEAD, other refs are asked. A
// patch is orphaned if none of its commits is on a ref; in a shallow clone this cannot be known. A patch without an
// anchor was never committed.
//
// Nothing is written or guessed: lines that git does not find are counted without a commit.
package trail

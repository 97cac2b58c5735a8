// Package correlate ties commits to patches: for every line added by a commit it names the patch that wrote it, and the
// evidence. A commit_anchored event holds all of it.
//
// Anchors rest on content. The committed blob is looked up among the contents that the timeline has seen at the path.
// Partial staging makes blobs that were never in the work tree. The lines of such a blob take their owners from the
// work tree and from the parent. Git's diff and ours may put the same change on different lines, as with a closing
// brace that belongs to either of two blocks. Then each of git's lines has the owner of the line that stands there.
//
// A commit is anchored once per commit seen, also when no line of it is an agent's: so a person's line is told from an
// unknown one. A commit without an anchor stays unknown here.
//
// Nothing is written but events and caches; the user's repository is only read. One git process is started for a commit
// with one parent.
package correlate

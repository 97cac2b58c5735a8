// Package correlate ties commits to patches: for every line added by a commit it names the patch that wrote it, and the
// evidence. A commit_anchored event holds all of it.
//
// Anchors depend on content. The committed blob is searched among the contents that the timeline saw at the path.
// Partial staging makes blobs that were never in the work tree. The lines of such a blob take their owners from the
// work tree and from the parent. Git's diff and ours may put the same change on different lines, as with a closing
// brace that belongs to either of two blocks. Then each of git's lines gets the owner of the line at that place.
//
// Each commit that hooks saw is anchored once, even without a line of an agent: so a person's line differs from an
// unknown one. A commit without an anchor stays unknown here.
//
// The package writes only events and caches; it only reads the user's repository. For a commit with one parent it
// starts one git process.
package correlate

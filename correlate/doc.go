// Package correlate finds, for every line that a commit added, the patch that wrote it and the evidence. A
// commit_anchored event stores the result, the anchor.
//
// Anchors depend on content. The package searches the committed blob among the contents that the timeline saw at the
// path. Partial staging makes blobs that were never in the work tree. The lines of such a blob take their owners from
// the work tree and from the parent. Git's diff and git-trace's may put the same change on different lines: for
// example, a closing brace may belong to either of two blocks. Then each line that git calls added gets the owner of
// the line at that place.
//
// Each commit that hooks saw gets one anchor, even if no agent wrote a line of it. The anchor distinguishes a person's
// lines from unknown ones. This package leaves a commit without an anchor unknown.
//
// The package writes only events and caches, and does not change the user's repository. For a commit with one parent it
// starts one git process.
package correlate

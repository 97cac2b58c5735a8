// Package carry moves claims about commits to the commits that replaced them without a hook. Example: other tools
// described the commits of a branch, and a server squashed or rebased it. The described commits are no longer in the
// history.
//
// A commit of the history gets a claim only for a line that it added, and only on these grounds:
//
//   - rewritten: the described commit has the line at the same place of the same file, as git's diff aligns both
//     contents. The file may have another name now if most of it is equal.
//     A few equal lines are not enough, unless the described commit added no more.
//   - line_fingerprint: the file has the line once, as the described commit's file has, at another place; or lines in a
//     row are equal in a file of another name.
//
// A described commit cannot be a source of its own ancestors. Each of its lines goes to one commit, and to a later one
// only if that moves the line. Of two sources the descendant counts, then the one with more equal letters. If two are
// equally good and name different owners, the line stays unknown, as does a line that a described commit added and did
// not name.
package carry

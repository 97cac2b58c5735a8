// Package carry moves claims about commits to the commits that replaced them without a hook. Example: other tools
// described the commits of a branch, and a server squashed or rebased it. The history does not have the described
// commits any longer.
//
// A commit of the history gets a claim only for a line that it added, and only with this evidence:
//
//   - rewritten: the described commit has the line at the same place of the same file, as git's diff aligns both
//     contents. The equal lines must have enough letters, or half of the letters that the described commit added to
//     the file. If the file has another name now, only the half counts.
//   - line_fingerprint: both files have the line once, at different places; or lines in a row are equal in a file of
//     another name.
//
// A described commit cannot be a source of its own ancestors. Each of its lines is credited to one commit; a later
// commit gets it only by moving the line, or if a commit in between removed it and it returns to a file of the same
// name. Then a described commit that HEAD reaches is a source, too. Example: a commit is reverted, and the revert is
// reverted. Of two sources, one of the same name wins. Then the descendant wins, then the source with more equal
// letters. The line stays unknown if two sources are equally good and name different owners, or if the described commit
// added it without an owner.
package carry

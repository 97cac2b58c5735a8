// Package unseen finds the owners of lines in commits that have no anchor because no hook reported them. Hooks may have
// been switched off, or another tool or another clone made the commits, or history was rewritten without a hook.
//
// It tries kinds of evidence from strong to weak, and stops at the first one that explains a line:
//
//   - exact_blob: the committed content was seen in a work tree of this repository, under this path or another one;
//   - rewritten: the log says that the commit replaced another one (commit_rewritten), whose anchor knows the line;
//   - same_patch: an anchored commit changed a file in the same way, apart from white space and place, or several
//     commits of another clone together did so;
//   - exact_lines, reformatted, moved_lines: known contents of the path hold the lines. A commit hook uses the same
//     evidence for a file that was staged in part;
//   - line_fingerprint: patches wrote the lines. A line must be distinctive (correlate.MinSpecific); in another file
//     the neighbouring lines must be, too (correlate.MinMoved). Patches of several owners that fit equally well cancel
//     each other out.
//
// A patch must be a possible source: the log must have the patch before it names the commit, a descendant, or any later
// commit. The commit must not be dated before a commit that existed when the patch was made. Other lines stay unknown.
// The package never guesses from authors, messages, or clocks alone.
//
// The work depends on the question. A line that is in no log costs one lookup in a sorted table (index.Digest). One git
// process finds all commits older than the log. Answers are kept until a log mentions something that they depend on.
package unseen
